/**
 * The name of a question in a round: the same in every run of a handler, however its questions are interleaved.
 *
 * The text of the question decides, so that an answer is never taken for the answer to another question. The digest
 * keeps questions apart and nothing secret: what travels is sealed elsewhere.
 */
import { isObject } from "../../base/json.ts";
import type { Call } from "../../jsonrpc/link.ts";

/** JSON with the members of objects in one order, so that equal values have equal texts. */
export function toCanonicalJson(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) =>
    isObject(member) ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1))) : member,
  );
}

/**
 * The key of a question without its place: the kind of question and a digest of all its words.
 *
 * @example
 * ```ts
 * questionKey({ method: "roots/list" }); // "roots-" and 16 hexadecimal digits
 * ```
 */
export function questionKey({ method, params }: Call): string {
  const text = toCanonicalJson([method, params ?? {}]);
  const [kind] = method.split("/");
  return `${kind}-${hash(text, 0x811c9dc5)}${hash(text, 0x1f83d9ab)}`;
}

/** FNV-1a over UTF-16 units, with a last mixing of the bits. */
function hash(text: string, seed: number): string {
  let state = seed;
  for (let index = 0; index < text.length; index += 1) {
    state = Math.imul(state ^ text.charCodeAt(index), 0x01000193);
  }
  state = Math.imul(state ^ (state >>> 16), 0x45d9f3b);
  return ((state ^ (state >>> 15)) >>> 0).toString(16).padStart(8, "0");
}
