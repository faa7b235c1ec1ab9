/** The extension by which newer revisions have tasks. Specification: Extensions > Tasks > Capability Negotiation. */
import { isObject } from "../../base/json.ts";
import { MissingCapabilityError } from "../../protocol/errors.ts";
import type { ClientCapabilities } from "../../protocol/types/lifecycle.ts";

/** Its identifier. */
export const tasksExtension = "io.modelcontextprotocol/tasks";

/** Whether a client declares it, in this very request [X-TASK-001]. */
export function declaresTasks({ extensions }: ClientCapabilities): boolean {
  return isObject(extensions) && isObject(extensions[tasksExtension]);
}

/** The error for a client that does not, where it would be needed [X-TASK-004, X-TASK-005, X-TASK-040]. */
export function lacksTasks(what: string): MissingCapabilityError {
  return new MissingCapabilityError(
    `extensions.${tasksExtension}`,
    `${what}: expected a client that declares the extension ${tasksExtension} with the request`,
    { data: { requiredCapabilities: { extensions: { [tasksExtension]: {} } } } },
  );
}
