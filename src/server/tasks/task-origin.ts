/**
 * What is kept of a call for a process that has to run it again: its params, its revision, its client and its caller. The
 * caller's token is not kept.
 */
import { isObject } from "../../base/json.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import { findFault } from "../../protocol/check.ts";
import { implementation } from "../../protocol/checks/metadata.ts";
import type { AuthInfo } from "../../protocol/types/auth.ts";
import type { ClientCapabilities } from "../../protocol/types/lifecycle.ts";
import type { Implementation } from "../../protocol/types/metadata.ts";
import type { CallToolRequestParams } from "../../protocol/types/tools.ts";
import { findHandshake, findStateless } from "../../revision/registry.ts";
import type { Revision } from "../../revision/revision.ts";
import type { RequestContext } from "../requests/request-context.ts";

/** A call that was kept. */
export interface TaskOrigin {
  readonly name: string;
  readonly args: JsonObject;
  readonly revision: Revision;
  readonly capabilities: ClientCapabilities;
  readonly clientInfo: Implementation | undefined;
  /** Without its token. */
  readonly auth: AuthInfo | undefined;
}

/** A call as JSON. */
export function toOrigin({ name, arguments: args = {} }: CallToolRequestParams, ctx: RequestContext): JsonObject {
  const { info, capabilities } = ctx.client;
  const { token: _token, ...auth } = ctx.auth ?? { token: "" };
  return {
    name,
    arguments: args,
    revision: ctx.revision,
    capabilities,
    ...(info === undefined ? undefined : { clientInfo: info }),
    ...(ctx.auth === undefined ? undefined : { auth }),
  };
}

/** Reads it; `undefined` for what {@link toOrigin} of this version did not write. */
export function parseOrigin(origin: JsonObject | undefined): TaskOrigin | undefined {
  const { name, arguments: args, revision: id, capabilities, clientInfo, auth } = origin ?? {};
  const revision = typeof id === "string" ? (findHandshake(id) ?? findStateless(id)) : undefined;
  if (typeof name !== "string" || !isObject(args) || revision === undefined || !isObject(capabilities)) {
    return undefined;
  }
  return {
    name,
    args,
    revision,
    capabilities,
    clientInfo: findFault(implementation, clientInfo) === undefined ? (clientInfo as Implementation) : undefined,
    auth: isAuth(auth) ? { ...auth, token: "" } : undefined,
  };
}

function isAuth(value: unknown): value is AuthInfo {
  return isObject(value) && typeof value.clientId === "string" && Array.isArray(value.scopes);
}
