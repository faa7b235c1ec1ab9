/** Listing and calling tools. Specification: Server > Tools. */
import { HeaderMismatchError, type InvalidParamsError } from "../../protocol/errors.ts";
import { checkParamHeaders } from "../../protocol/param-headers.ts";
import { toPrincipalKey } from "../../protocol/principal.ts";
import type { CallToolRequestParams, CallToolResult } from "../../protocol/types/tools.ts";
import { Pager } from "../lists/pagination.ts";
import { Registry } from "../lists/registry.ts";
import { SourceChain } from "../lists/source-chain.ts";
import { isPromise, type MaybePromise, whenDone } from "../maybe.ts";
import { isVisible } from "../requests/access.ts";
import type { AnyContext } from "../requests/context.ts";
import type { LimitVerdict } from "../requests/limits.ts";
import { RequestContext } from "../requests/request-context.ts";
import type { ServerSession } from "../sessions/session.ts";
import type { Settings } from "../settings.ts";
import { compileTool, type ToolHost } from "./compile-tool.ts";
import type { ToolItem } from "./item.ts";
import type { ToolDefinition } from "./tool.ts";
import { toFailure } from "./tool-result.ts";
import { unknownName } from "./unknown-name.ts";

/** Last look at a result before it is sent. */
export type OutputFilter = (result: CallToolResult, name: string, ctx: AnyContext) => MaybePromise<CallToolResult>;

/** See the head of this file. */
export class Tools {
  readonly registry: Registry<ToolDefinition, ToolItem>;
  readonly source: SourceChain<ToolItem>;
  readonly pager: Pager<ToolItem["wire"], ToolItem>;
  readonly #settings: Settings;
  readonly #filter: OutputFilter | undefined;
  /** Calls being worked on, by session, or by caller where there is none; those who are not identified are one. */
  readonly #openCalls = new Map<ServerSession | string, number>();

  constructor(settings: Settings, host: ToolHost, filter: OutputFilter | undefined) {
    this.#settings = settings;
    this.#filter = filter;
    this.registry = new Registry("tool", (name, definition) => compileTool(name, definition, host));
    this.source = new SourceChain(this.registry);
    this.pager = new Pager("tools", this.source, settings.pageSize, settings.cache["tools/list"]);
  }

  /**
   * Answers `tools/call`.
   *
   * @throws InvalidParamsError for an unknown name, with the nearest one [TOOL-019]; HeaderMismatchError
   */
  call({ name, arguments: args = {} }: CallToolRequestParams, ctx: AnyContext): MaybePromise<CallToolResult> {
    return whenDone(this.source.find(name, ctx), (item) => {
      if (item === undefined) {
        throw this.#unknown(name);
      }
      if (item.access.allow === undefined) {
        assertHeaders(item, args, ctx);
        return this.#admit(name, item, args, ctx);
      }
      return whenDone(isVisible(item.access, ctx), (visible) => {
        if (!visible) {
          throw this.#unknown(name);
        }
        assertHeaders(item, args, ctx);
        return this.#admit(name, item, args, ctx);
      });
    });
  }

  #admit(name: string, item: ToolItem, args: object, ctx: AnyContext): MaybePromise<CallToolResult> {
    const { tools } = this.#settings.limits;
    if (tools === undefined) {
      return this.#run(name, item, args, ctx);
    }
    return whenDone(tools(ctx, name), (verdict) =>
      verdict.ok ? this.#run(name, item, args, ctx) : toFailure(`${name}: too many calls; ${whenAgain(verdict)}`),
    );
  }

  #run(name: string, item: ToolItem, args: object, ctx: AnyContext): MaybePromise<CallToolResult> {
    const caller = ctx.session ?? toPrincipalKey(ctx.auth) ?? "";
    const { maxConcurrentCalls } = this.#settings.limits;
    if ((this.#openCalls.get(caller) ?? 0) >= maxConcurrentCalls) {
      return toFailure(`${name}: ${maxConcurrentCalls} calls are in progress already; wait for one to end`);
    }
    const result = item.call(args as { [key: string]: unknown }, ctx);
    const filtered =
      this.#filter === undefined ? result : whenDone(result, (value) => this.#applyFilter(value, name, ctx));
    if (!isPromise(filtered)) {
      return filtered;
    }
    this.#count(caller, 1);
    return filtered.finally(() => this.#count(caller, -1));
  }

  #count(caller: ServerSession | string, change: 1 | -1): void {
    const open = (this.#openCalls.get(caller) ?? 0) + change;
    if (open === 0) {
      this.#openCalls.delete(caller);
    } else {
      this.#openCalls.set(caller, open);
    }
  }

  #applyFilter(result: CallToolResult, name: string, ctx: AnyContext): MaybePromise<CallToolResult> {
    return this.#filter === undefined ? result : this.#filter(result, name, ctx);
  }

  #unknown(name: string): InvalidParamsError {
    return unknownName("tool", name, this.source.keys());
  }
}

/**
 * Arguments that are mirrored as headers must be the same there [M-HDR-020].
 *
 * @throws HeaderMismatchError
 */
function assertHeaders({ headers = [] }: ToolItem, args: object, ctx: AnyContext): void {
  const { request } = ctx;
  if (headers.length === 0 || request === undefined || !(ctx instanceof RequestContext) || !ctx.scope.isStateless) {
    return;
  }
  const fault = checkParamHeaders(headers, { ...args }, (name) => request.header(name));
  if (fault !== undefined) {
    throw new HeaderMismatchError(fault);
  }
}

function whenAgain(verdict: LimitVerdict & { readonly ok: false }): string {
  return verdict.retryAfterMs === undefined ? "try again later" : `try again in ${verdict.retryAfterMs} ms`;
}
