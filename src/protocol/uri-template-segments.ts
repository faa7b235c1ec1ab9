/**
 * A URI template as a row of segments, which is the form that URIs are matched against.
 *
 * Made once per template. What a URI does to the segments is uri-template-cut.ts.
 */

import type { UriTemplate, UriTemplateExpression, UriTemplateOperator } from "./uri-template.ts";

/** A stretch of the URI. */
export type Segment = Literal | Field;

/** A fixed text. */
export interface Literal {
  readonly text: string;
  /** The text's ASCII codes. */
  readonly codes: Uint8Array;
  /** For each prefix of the text, how long its longest proper prefix is that is also its suffix. */
  readonly borders: Uint16Array;
}

/** What one expression, or several that continue a query, may cover. */
export interface Field {
  readonly expressions: readonly UriTemplateExpression[];
  /** For each ASCII code, 1 where it may start the field. */
  readonly signs: Uint8Array;
  /** For each ASCII code, 1 where it ends the field. */
  readonly stops: Uint8Array;
  /** Whether the URI may leave the field out; then a sign starts it when it is there. */
  readonly optional: boolean;
  /** How many slashes it may hold where those are its separators. */
  readonly slashes: number;
  /** Whether another sign follows at once, so that it ends at the first such place rather than at the last. */
  readonly lazy: boolean;
}

/** The segments of a template. A query and what continues it become one field, so that order does not matter. */
export function toSegments({ parts }: UriTemplate): readonly Segment[] {
  const segments: Segment[] = [];
  for (const [index, part] of parts.entries()) {
    if (part.kind === "literal") {
      segments.push(toLiteral(part.text));
      continue;
    }
    const last = segments.at(-1);
    const before = last !== undefined && "expressions" in last ? last.expressions : [];
    const lazy = parts[index + 1]?.kind === "expression";
    if (part.operator === "&" && (before[0]?.operator === "?" || before[0]?.operator === "&")) {
      segments[segments.length - 1] = toField([...before, part], lazy);
    } else {
      segments.push(toField([part], lazy));
    }
  }
  return segments;
}

function toField(expressions: readonly UriTemplateExpression[], lazy: boolean): Field {
  const operator = expressions[0]?.operator ?? "";
  const variables = expressions.flatMap((expression) => expression.variables);
  const isList = variables.some((variable) => variable.explode);
  const stops = toTable(stopCharacters[operator]);
  const optional = operator !== "" && operator !== "+";
  return {
    expressions,
    // Without a sign, whatever does not end the field may start it.
    signs: optional ? toTable(expressions.map((expression) => expression.operator)) : stops.map((stop) => 1 - stop),
    stops,
    optional,
    slashes: operator === "/" && !isList ? variables.length : Number.POSITIVE_INFINITY,
    lazy,
  };
}

/** What a field cannot hold: a simple value does not cross a slash, and nothing but `+` and `#` crosses a fragment. */
const stopCharacters: Readonly<Record<UriTemplateOperator, string>> = {
  "": "/?#",
  ".": "/?#",
  ";": "/?#",
  "/": "?#",
  "?": "#",
  "&": "#",
  "+": "",
  "#": "",
};

function toTable(letters: Iterable<string>): Uint8Array {
  const table = new Uint8Array(128);
  for (const letter of letters) {
    table[letter.charCodeAt(0)] = 1;
  }
  return table;
}

function toLiteral(text: string): Literal {
  const codes = Uint8Array.from(text, (letter) => letter.charCodeAt(0));
  const borders = new Uint16Array(codes.length);
  let length = 0;
  for (let at = 1; at < codes.length; at += 1) {
    while (length > 0 && codes[at] !== codes[length]) {
      length = borders[length - 1] ?? 0;
    }
    length += codes[at] === codes[length] ? 1 : 0;
    borders[at] = length;
  }
  return { text, codes, borders };
}
