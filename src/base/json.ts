/**
 * JSON text to values, bounded: length and depth are checked before the parser sees the text, because the
 * parser itself recurses.
 *
 * Prototype keys need no refusal here: `JSON.parse` makes own properties of them, and nothing copies by assignment.
 */

/** Why a text is not taken. */
export type JsonProblem = { readonly reason: "syntax" | "too-deep"; readonly message: string };

/** A value, or why there is none. */
export type JsonResult = { readonly ok: true; readonly value: unknown } | ({ readonly ok: false } & JsonProblem);

/**
 * Parses JSON text.
 *
 * @param maxDepth - nesting of arrays and objects that is still taken
 */
export function parseJson(text: string, maxDepth: number): JsonResult {
  // A value nested deeper than maxDepth needs more than 2 * maxDepth brackets, so short texts skip the scan.
  if (text.length > 2 * maxDepth && !isWithinDepth(text, maxDepth)) {
    return { ok: false, reason: "too-deep", message: `expected JSON nested at most ${maxDepth} levels deep` };
  }
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch (error) {
    return { ok: false, reason: "syntax", message: `expected JSON, ${(error as SyntaxError).message}` };
  }
}

/** Whether a value is an object that JSON could have written: not null, not an array. */
export function isObject(value: unknown): value is { [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isWithinDepth(text: string, maxDepth: number): boolean {
  let depth = 0;
  for (let index = 0; index < text.length; index += 1) {
    switch (text.charCodeAt(index)) {
      case 0x22: // a string: skip to its end, so that brackets in it do not count
        index = endOfString(text, index);
        break;
      case 0x5b: // [
      case 0x7b: // {
        depth += 1;
        if (depth > maxDepth) {
          return false;
        }
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth -= 1;
        break;
    }
  }
  return true;
}

function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(text, end)) {
    end = text.indexOf('"', end + 1);
  }
  return end === -1 ? text.length : end;
}

function isEscaped(text: string, index: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(index - 1 - backslashes) === 0x5c) {
    backslashes += 1;
  }
  return backslashes % 2 === 1;
}
