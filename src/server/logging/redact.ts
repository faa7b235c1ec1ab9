/**
 * Makes any value fit to be logged: plain JSON of bounded depth, with secrets masked by the name they stand under.
 *
 * A net under the author's own care, not a guarantee: a secret inside a sentence is not found.
 */

const secretName = /pass(?:word|wd|phrase)|secret|token|api[-_]?key|authorization|cookie|credential|private[-_]?key/i;
const bearer = /\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{8,}/g;
const mask = "[redacted]";
const maxDepth = 8;

/** Whether what stands under this name is likely a secret. */
export function isSecretName(name: string): boolean {
  return secretName.test(name);
}

/**
 * A copy of log data without what looks like a secret. Specification: Server > Utilities > Logging > Security.
 *
 * @param data - anything; errors become their name and message, what JSON cannot write becomes text
 *
 * @example
 * ```ts
 * import { redactSecrets } from "parley-mcp/server";
 *
 * redactSecrets({ user: "ada", password: "x" }); // { user: "ada", password: "[redacted]" }
 * ```
 */
export function redactSecrets(data: unknown): unknown {
  return clean(data, 0, []);
}

function clean(value: unknown, depth: number, above: readonly object[]): unknown {
  if (typeof value === "string") {
    return value.includes(" ") ? value.replace(bearer, `$1 ${mask}`) : value;
  }
  if (value === undefined || value === null) {
    return null;
  }
  if (typeof value === "number" || typeof value === "boolean") {
    return value;
  }
  if (typeof value !== "object") {
    return typeof value === "bigint" ? value.toString() : `[${typeof value}]`;
  }
  if (value instanceof Error) {
    return { name: value.name, message: clean(value.message, depth, above) };
  }
  if (above.includes(value) || depth >= maxDepth) {
    return above.includes(value) ? "[circular]" : "[too deep]";
  }
  if ("toJSON" in value && typeof value.toJSON === "function") {
    return clean(value.toJSON(), depth + 1, [...above, value]);
  }
  if (Array.isArray(value)) {
    return value.map((item) => clean(item, depth + 1, [...above, value]));
  }
  const entries = Object.entries(value).map(([name, member]) => [
    name,
    isSecretName(name) && member !== undefined && member !== null ? mask : clean(member, depth + 1, [...above, value]),
  ]);
  return Object.fromEntries(entries);
}
