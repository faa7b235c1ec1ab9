/**
 * A workload's assertion from a file that its platform keeps fresh, as Kubernetes does.
 *
 * Nothing is kept: the file is read whenever a token is needed, because it is replaced before it expires.
 */
import { readFile, stat } from "node:fs/promises";
import { AuthorizationError } from "../../../protocol/authorization-errors.ts";

/** Largest file that is taken for an assertion, in bytes. */
const maxBytes = 64 * 1024;

/**
 * A source of assertions that reads a file each time.
 * Specification: Extensions > Workload Identity Federation.
 *
 * @param path - a file that holds one JWT, of at most 64 KiB; white space around it is left out
 * @returns what {@link workloadIdentity} takes as `assertion`; it throws {@link AuthorizationError} naming the file where
 * that cannot be read
 * @example
 * ```ts
 * import { workloadIdentity } from "parley-mcp/auth/client";
 * import { assertionFile } from "parley-mcp/auth/client/node";
 *
 * export const grant = workloadIdentity({ assertion: assertionFile("/var/run/secrets/tokens/mcp") });
 * ```
 */
export function assertionFile(path: string): (target: { readonly signal: AbortSignal }) => Promise<string> {
  return async ({ signal }) => {
    try {
      const { size } = await stat(path);
      if (size > maxBytes) {
        throw new Error(`expected at most ${maxBytes} bytes, got ${size}`);
      }
      return (await readFile(path, { encoding: "utf8", signal })).trim();
    } catch (error) {
      if (signal.aborted) {
        throw signal.reason;
      }
      const reason = error instanceof Error ? error.message : String(error);
      throw new AuthorizationError(`the assertion file ${path} could not be read: ${reason}`, {
        cause: error,
        stage: "token",
      });
    }
  };
}
