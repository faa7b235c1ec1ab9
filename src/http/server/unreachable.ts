/** The error of a request that cannot be carried to the client, raised at once instead of a wait that cannot end [PP-043]. */
import { MissingCapabilityError } from "../../protocol/errors.ts";
import type { Revision } from "../../revision/revision.ts";

/**
 * Makes the error; its `capability` is the feature that the method belongs to.
 *
 * @param method - what was to be sent
 * @param why - what is missing and what to do about it
 */
export function createUnreachableError(method: string, why: string): MissingCapabilityError {
  return new MissingCapabilityError(method.split("/", 1)[0] ?? method, `${method} cannot reach the client: ${why}`);
}

/** Refuses a request to the client in a revision where servers make none [M-BASE-001]. */
export function refuseServerRequest(method: string, { id }: Revision): Promise<never> {
  const why = `servers make no requests in revision ${id}; answer with a result that says what input is needed`;
  return Promise.reject(createUnreachableError(method, why));
}
