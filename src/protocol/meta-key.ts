/**
 * The grammar of `_meta` keys: an optional prefix of dot-separated labels and a slash, then a name.
 *
 * What the reserved keys mean is not known here. Specification: Basic > General fields > `_meta`.
 */

/** Most characters of a key this library takes apart. */
export const maxMetaKeyLength = 1024;

/** A key in its two parts. */
export interface MetaKey {
  /** The labels before the slash, joined by dots; absent where the key has no slash. */
  readonly prefix?: string;
  /** What follows the slash; may be empty. */
  readonly name: string;
}

/** A key taken apart, or why it is none. */
export type MetaKeyResult =
  | { readonly ok: true; readonly key: MetaKey }
  | { readonly ok: false; readonly problem: string };

/**
 * Takes a `_meta` key apart and checks both parts.
 *
 * Specification: Basic > General fields > `_meta` > Key name format (META-002, META-003, META-005).
 *
 * @param text - the key, at most 1,024 characters
 *
 * @example
 * ```ts
 * import { parseMetaKey } from "parley-mcp";
 *
 * parseMetaKey("com.example/trace"); // { ok: true, key: { prefix: "com.example", name: "trace" } }
 * ```
 */
export function parseMetaKey(text: string): MetaKeyResult {
  if (text.length > maxMetaKeyLength) {
    return refuse(`A _meta key may have ${maxMetaKeyLength} characters; this one has ${text.length}.`);
  }
  const slash = text.indexOf("/");
  const name = text.slice(slash + 1);
  if (!/^(?:[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)?$/.test(name)) {
    return refuse(
      `The name of a _meta key starts and ends with a letter or digit and holds only those, "-", "_" and "."; ` +
        `${JSON.stringify(text)} has the name ${JSON.stringify(name)}.`,
    );
  }
  if (slash === -1) {
    return { ok: true, key: { name } };
  }
  const prefix = text.slice(0, slash);
  const wrong = prefix.split(".").find((label) => !/^[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?$/.test(label));
  if (wrong !== undefined) {
    return refuse(
      `Each label in the prefix of a _meta key starts with a letter, ends with a letter or digit and holds only ` +
        `those and "-"; ${JSON.stringify(text)} has the label ${JSON.stringify(wrong)}.`,
    );
  }
  return { ok: true, key: { prefix, name } };
}

/**
 * Whether a key belongs to the protocol: the second label of its prefix is `mcp` or `modelcontextprotocol`.
 *
 * Specification: Basic > General fields > `_meta` > Key name format (META-004).
 *
 * @param text - a key; one without a prefix, or of a wrong form, is not reserved by this rule
 *
 * @example
 * ```ts
 * import { isReservedMetaKey } from "parley-mcp";
 *
 * isReservedMetaKey("io.modelcontextprotocol/related-task"); // true
 * ```
 */
export function isReservedMetaKey(text: string): boolean {
  const result = parseMetaKey(text);
  const label = result.ok ? result.key.prefix?.split(".")[1] : undefined;
  return label === "mcp" || label === "modelcontextprotocol";
}

function refuse(problem: string): MetaKeyResult {
  return { ok: false, problem };
}
