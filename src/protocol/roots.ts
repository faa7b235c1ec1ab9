/**
 * Root URIs: which are safe to expose, and whether a URI lies within one. Pure URI logic: symbolic links
 * need a file system and are resolved before asking here.
 *
 * Specification: Client > Roots > Security Considerations.
 */
import { type CheckFunction, expected } from "./check.ts";
import type { Root } from "./types/roots.ts";

/** `checkRootUri` as a part of other checks. */
export const findRootUriFault: CheckFunction = (value) => {
  if (typeof value !== "string" || !/^file:\/\//i.test(value)) {
    return expected("a URI that starts with file://", value);
  }
  if (/[?#]/.test(value)) {
    return expected("a file URI without query or fragment", value);
  }
  return pathSegments(value) === undefined
    ? expected('a file URI without ".." or other traversal, plain or percent-encoded', value)
    : undefined;
};

/**
 * Judges the URI of a root. Answers `undefined` when it is a `file://` URI that cannot climb out of itself,
 * else what is wrong. Specification: Client > Roots [ROOT-003, ROOT-007].
 *
 * @param at - what the URI is called in the message
 *
 * @example
 * ```ts
 * checkRootUri("https://example.com"); // 'uri: expected a URI that starts with file://, got "https://example.com"'
 * ```
 */
export function checkRootUri(uri: unknown, at = "uri"): string | undefined {
  const fault = findRootUriFault(uri);
  return fault === undefined ? undefined : at + fault;
}

/**
 * Whether a `file://` URI is one of the roots or lies below one. Compares whole path segments, so `/a` does
 * not contain `/ab`; a URI that tries to climb (`..`, also encoded) is within nothing.
 * Specification: Client > Roots [ROOT-010].
 *
 * @example
 * ```ts
 * isWithinRoots("file:///office/a.txt", [{ uri: "file:///work" }]); // true
 * ```
 */
export function isWithinRoots(uri: string, roots: readonly Pick<Root, "uri">[]): boolean {
  const segments = pathSegments(uri);
  return segments !== undefined && roots.some((root) => isBelow(segments, pathSegments(root.uri)));
}

function isBelow(segments: readonly string[], root: readonly string[] | undefined): boolean {
  return (
    root !== undefined && root.length <= segments.length && root.every((segment, index) => segment === segments[index])
  );
}

/** Host and path of a file URI, decoded; `undefined` when it is none or tries to climb. */
function pathSegments(uri: string): string[] | undefined {
  const parts = /^file:\/\/([^/?#]*)([^?#]*)$/i.exec(uri);
  if (parts === null) {
    return undefined;
  }
  const [, host = "", path = ""] = parts;
  const segments = path.split("/").map(decodeSegment);
  if (segments.some((segment) => segment === undefined || segment === ".." || /[/\\\0]/.test(segment))) {
    return undefined;
  }
  const steps = segments.filter((segment): segment is string => segment !== "" && segment !== ".");
  return [host.toLowerCase() === "localhost" ? "" : host.toLowerCase(), ...steps.map(lowerDrive)];
}

/** Decodes until nothing changes, so that an escape cannot hide in an escape. */
function decodeSegment(segment: string): string | undefined {
  try {
    const decoded = decodeURIComponent(segment);
    return decoded !== segment && /^(?:\.|%2e|%25)+$/i.test(decoded) ? decodeSegment(decoded) : decoded;
  } catch {
    // An escape that is no UTF-8 names no path we could compare.
    return undefined;
  }
}

function lowerDrive(segment: string, index: number): string {
  return index === 0 && /^[A-Za-z]:$/.test(segment) ? segment.toLowerCase() : segment;
}
