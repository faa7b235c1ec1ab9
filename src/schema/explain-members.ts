// The words for members that are missing or not known, with the nearest known name.

import type { Evaluator } from "./evaluate.ts";
import { listing } from "./explain-values.ts";
import { isRecord, own } from "./json-schema.ts";
import { nearest } from "./nearest.ts";
import type { SchemaNode } from "./node.ts";
import type { Run } from "./run.ts";

/** Which of a list of names an object lacks. */
export function explainMissing(names: unknown, value: unknown): string[] {
  if (!Array.isArray(names) || !isRecord(value)) return [];
  return names.map(String).filter((name) => own(value, name) === undefined);
}

/** `"coulor" is not known, did you mean "color"? (color, size)` */
export function explainUnknown(
  name: string,
  known: readonly string[],
  value: Readonly<Record<string, unknown>>,
  place: string,
): string {
  const free = known.filter((candidate) => own(value, candidate) === undefined);
  const guess = nearest(name, free);
  const where = place === "" ? "" : ` in ${place}`;
  const hint = guess === undefined ? "" : `, did you mean ${JSON.stringify(guess)}?`;
  return `${JSON.stringify(name)}${where} is not known${hint} (${known.length === 0 ? "nothing is expected" : listing(known)})`;
}

const inPlaceKeys = /^(?:allOf|anyOf|oneOf|dependentSchemas|dependencies)\/|^(?:if|then|else)$/u;
const mostNodes = 200;

/** The member names a subschema mentions for the value it applies to, combinations and references included. */
export function knownNames(start: SchemaNode, evaluator: Evaluator, run: Run): string[] {
  const names = new Set<string>();
  const visited = new Set<SchemaNode>([start]);
  for (const node of visited) {
    if (visited.size > mostNodes || !isRecord(node.schema)) continue;
    const properties = own(node.schema, "properties");
    for (const name of Object.keys(isRecord(properties) ? properties : {})) names.add(name);
    for (const [key, child] of node.children) if (inPlaceKeys.test(key)) visited.add(child);
    for (const keyword of ["$ref", "$dynamicRef", "$recursiveRef"]) {
      const reference = own(node.schema, keyword);
      const isKnown = node.resource.dialect.keywords.has(keyword);
      if (typeof reference === "string" && isKnown) visited.add(evaluator.target(node, keyword, reference, run).node);
    }
  }
  return [...names];
}
