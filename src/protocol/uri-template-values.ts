/**
 * Reads the pieces that a template's expressions cover in a URI as values: splits first, decodes after.
 *
 * Knows names, separators, `*` and `:n`. Where pieces begin and end was decided by uri-template-cut.ts.
 */

import type { UriTemplateOperator, UriTemplateVariable } from "./uri-template.ts";
import type { UriPiece } from "./uri-template-cut.ts";

/** Decoded values by variable name; a variable with `*` gives a list. */
export type UriTemplateValues = Readonly<Record<string, string | readonly string[]>>;

/** The values, or the variable whose text is not properly escaped. */
export type ReadValuesResult =
  | { readonly ok: true; readonly values: UriTemplateValues }
  | { readonly ok: false; readonly variable: string };

/** The text for one variable, still escaped; several for a list. */
interface Share {
  readonly variable: UriTemplateVariable;
  readonly texts: string[];
}

/** A value, and whether it is more than a start cut off by `:n`. */
interface Known {
  readonly value: string | readonly string[];
  readonly whole: boolean;
}

/**
 * Reads all pieces of a URI.
 *
 * @returns `undefined` when the pieces are no expansion: an unknown or repeated name, too many members, a start that
 * is longer than its `:n`, or one variable with two values
 */
export function readUriTemplateValues(pieces: readonly UriPiece[]): ReadValuesResult | undefined {
  const known = new Map<string, Known>();
  for (const piece of pieces) {
    const shares = piece.text === "" ? [] : toShares(piece);
    if (shares === undefined) {
      return undefined;
    }
    for (const { variable, texts } of shares) {
      const decoded = decodeAll(texts);
      if (decoded === undefined) {
        return { ok: false, variable: variable.name };
      }
      const entry: Known = {
        value: variable.explode ? decoded : (decoded[0] ?? ""),
        whole: variable.prefixLength === undefined,
      };
      const merged = fitsPrefix(variable, entry.value) ? merge(known.get(variable.name), entry) : undefined;
      if (merged === undefined) {
        return undefined;
      }
      known.set(variable.name, merged);
    }
  }
  return { ok: true, values: Object.fromEntries([...known].map(([name, { value }]) => [name, value])) };
}

function toShares({ expressions, text }: UriPiece): readonly Share[] | undefined {
  const operator = expressions[0]?.operator ?? "";
  const variables = expressions.flatMap((expression) => expression.variables);
  switch (operator) {
    case "?":
    case "&":
    case ";":
      return byName(variables, text.slice(1).split(operator === ";" ? ";" : "&"));
    case "":
    case "+":
      return byPosition(variables, text, operator);
    default:
      return byPosition(variables, text.slice(1), operator);
  }
}

function byName(variables: readonly UriTemplateVariable[], texts: readonly string[]): readonly Share[] | undefined {
  const shares = new Map<UriTemplateVariable, Share>();
  for (const text of texts) {
    const equals = text.indexOf("=");
    const name = equals === -1 ? text : text.slice(0, equals);
    const variable = variables.find(
      (candidate) => toCapitals(candidate.name) === name && (candidate.explode || !shares.has(candidate)),
    );
    if (variable === undefined) {
      return undefined;
    }
    const share = shares.get(variable) ?? { variable, texts: [] };
    share.texts.push(equals === -1 ? "" : text.slice(equals + 1));
    shares.set(variable, share);
  }
  return [...shares.values()];
}

function byPosition(
  variables: readonly UriTemplateVariable[],
  text: string,
  operator: UriTemplateOperator,
): readonly Share[] | undefined {
  const [only] = variables;
  if (variables.length === 1 && only !== undefined && !only.explode) {
    return [{ variable: only, texts: [text] }];
  }
  const texts = text.split(operator === "." || operator === "/" ? operator : ",");
  const surplus = Math.max(0, texts.length - variables.length);
  const shares: Share[] = [];
  let at = 0;
  for (const variable of variables) {
    const end = at + 1 + (variable.explode ? surplus : 0);
    if (at < texts.length) {
      shares.push({ variable, texts: texts.slice(at, end) });
    }
    at = end;
  }
  return at < texts.length ? undefined : shares;
}

function fitsPrefix({ prefixLength }: UriTemplateVariable, value: string | readonly string[]): boolean {
  return prefixLength === undefined || [...value].length <= prefixLength;
}

/** A variable that stands in a template more than once has one value; a start gives way to what it starts. */
function merge(before: Known | undefined, now: Known): Known | undefined {
  if (before === undefined) {
    return now;
  }
  if (typeof before.value !== "string" || typeof now.value !== "string") {
    return JSON.stringify(before.value) === JSON.stringify(now.value) ? before : undefined;
  }
  if (!before.whole && now.value.startsWith(before.value)) {
    return now;
  }
  if (!now.whole && before.value.startsWith(now.value)) {
    return before;
  }
  return before.value === now.value ? before : undefined;
}

function decodeAll(texts: readonly string[]): readonly string[] | undefined {
  const decoded: string[] = [];
  for (const text of texts) {
    const value = decode(text);
    if (value === undefined) {
      return undefined;
    }
    decoded.push(value);
  }
  return decoded;
}

function decode(text: string): string | undefined {
  if (/\p{Surrogate}/u.test(text)) {
    return undefined;
  }
  try {
    return text.includes("%") ? decodeURIComponent(text) : text;
  } catch {
    // A URIError says only "malformed"; the caller names the variable.
    return undefined;
  }
}

function toCapitals(name: string): string {
  return name.replace(/%[0-9A-Fa-f]{2}/g, (triplet) => triplet.toUpperCase());
}
