/**
 * What a client may send in a session: checked before anything leaves, so that mistakes show where they are made.
 *
 * Specification: Basic > Lifecycle > Operation.
 */
import { UsageError } from "../../base/error.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import {
  capabilityPaths,
  hasServerCapability,
  missingClientCapabilities,
  requiredClientCapability,
  requiredServerCapability,
} from "../../protocol/capabilities.ts";
import { InvalidParamsError, MissingCapabilityError } from "../../protocol/errors.ts";
import { isClientNotification, isServerRequest, notificationSender, requestReceiver } from "../../protocol/methods.ts";
import { checkParams } from "../../protocol/params.ts";
import type { ClientCapabilities, ServerCapabilities } from "../../protocol/types/lifecycle.ts";
import type { Revision } from "../../revision/revision.ts";
import { declaresExtension, tasksExtension } from "../tasks/extension.ts";

/** What was negotiated. */
export interface Negotiated {
  readonly revision: Revision;
  /** What this client declared, as far as the revision knows it. */
  readonly own: ClientCapabilities;
  /** What the server declared; `undefined` where it was not asked, so that it will say itself what it lacks. */
  readonly server: ServerCapabilities | undefined;
}

/**
 * Whether a request may be sent [LIFE-017, LIFE-018].
 *
 * @throws {@link UsageError} for a method no caller sends; {@link MissingCapabilityError} for what the server does not
 * offer or the revision lacks; {@link InvalidParamsError} for params that break the method's shape
 */
export function assertRequest(method: string, params: JsonObject | undefined, negotiated: Negotiated): void {
  if (method === "initialize" || (requestReceiver(method) !== undefined && !isServerRequest(method))) {
    throw new UsageError(`request: expected a method for a caller of servers, got ${method}`);
  }
  const capability = requiredServerCapability(method);
  const { server } = negotiated;
  if (capability !== undefined && server !== undefined && !hasServerCapability(server, capability)) {
    throw new MissingCapabilityError(capability, `${method} needs ${capability}, which the server does not declare`);
  }
  if (isServerRequest(method)) {
    assertKnown(method, negotiated.revision);
    assertTasks(method, negotiated);
  }
  assertParams(method, params);
}

/** Whether a notification may be sent; throws as {@link assertRequest} does. */
export function assertNotification(method: string, params: JsonObject | undefined, negotiated: Negotiated): void {
  if (notificationSender(method) !== undefined) {
    if (!isClientNotification(method)) {
      throw new UsageError(`notify: ${method} is sent by servers only`);
    }
    assertKnown(method, negotiated.revision);
  }
  const missing = missingClientCapabilities(requiredClientCapability(method, params) ?? {}, negotiated.own);
  if (missing !== undefined) {
    const [path = method] = capabilityPaths(missing);
    throw new MissingCapabilityError(path, `${method} needs ${path}, which this client does not declare`);
  }
  assertParams(method, params);
}

function assertKnown(method: string, revision: Revision): void {
  if (!revision.has(method, "server")) {
    throw new MissingCapabilityError(method, `revision ${revision.id}, which was negotiated, has no ${method}`);
  }
}

/** Where tasks are an extension, requests about them are for clients that declare it [X-TASK-005]. */
function assertTasks(method: string, { revision, own }: Negotiated): void {
  if (method.startsWith("tasks/") && revision.traits.tasks === "extension" && !declaresExtension(own)) {
    throw new MissingCapabilityError(tasksExtension, `${method} needs ${tasksExtension}, which was switched off`);
  }
}

function assertParams(method: string, params: JsonObject | undefined): void {
  const fault = checkParams(method, params);
  if (fault !== undefined) {
    throw new InvalidParamsError(`${method}: ${fault}`);
  }
}
