/**
 * Whether a value taken out of a URI template may become part of a path: no traversal, however it is spelled.
 *
 * A check of text only. It does not touch a file system, so symbolic links are for whoever opens the file.
 * Specification: Server Features > Resources > Security Considerations (RES-017).
 */

/** What the value is meant to be: one name, names joined by slashes below a root, or the same from the root itself. */
export type PathShape = "segment" | "relative" | "absolute";

/**
 * Why a value is not safe as part of a path.
 *
 * @param value - a decoded value, as a matcher gives it
 * @param shape - `"relative"` unless given; `"segment"` refuses separators too, `"absolute"` allows one at the start
 * @returns what was found, or `undefined` when nothing speaks against the value
 *
 * @example
 * ```ts
 * import { checkPathValue } from "parley-mcp/server";
 *
 * checkPathValue("docs/a.md"); // undefined
 * checkPathValue("docs/../../etc/passwd"); // names the ".." segment
 * ```
 */
export function checkPathValue(value: string, shape: PathShape = "relative"): string | undefined {
  if (/\p{Cc}/u.test(value)) {
    return "A path holds no NUL and no other control character.";
  }
  if (/%(?:00|2e|2f|5c)/i.test(value)) {
    return "A path holds no dot, separator or NUL that is still percent-encoded after decoding.";
  }
  if (value.split(/[/\\]/).includes("..")) {
    return 'A path holds no ".." segment.';
  }
  if (shape === "segment" && (/[/\\]/.test(value) || value === ".")) {
    return "A single path segment holds no separator and is not the directory itself.";
  }
  if (shape !== "absolute" && /^(?:[/\\]|[A-Za-z]:)/.test(value)) {
    return "A relative path starts with neither a separator nor a drive letter.";
  }
  return undefined;
}

/**
 * Whether a value is safe as part of a path; {@link checkPathValue} says why not.
 *
 * @param value - a decoded value, as a matcher gives it
 * @param shape - what the value is meant to be, `"relative"` unless given
 *
 * @example
 * ```ts
 * import { isSafePathValue } from "parley-mcp/server";
 *
 * isSafePathValue("../secret"); // false
 * ```
 */
export function isSafePathValue(value: string, shape: PathShape = "relative"): boolean {
  return checkPathValue(value, shape) === undefined;
}
