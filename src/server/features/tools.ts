/** Listing and calling tools. Specification: Server > Tools. */
import type { JsonObject } from "../../jsonrpc/message.ts";
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
import type { ToolTasks } from "../tasks/tool-tasks.ts";
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
  readonly #tasks: ToolTasks;
  #hasTasks = false;
  /** Calls being worked on, by session, or by caller where there is none; those who are not identified are one. */
  readonly #openCalls = new Map<ServerSession | string, number>();

  constructor(settings: Settings, host: ToolHost, filter: OutputFilter | undefined, tasks: ToolTasks) {
    this.#settings = settings;
    this.#filter = filter;
    this.#tasks = tasks;
    this.registry = new Registry("tool", (name, definition) => {
      const item = compileTool(name, definition, host);
      this.#hasTasks ||= item.task !== undefined;
      return item;
    });
    this.source = new SourceChain(this.registry);
    this.pager = new Pager("tools", this.source, settings.pageSize, settings.cache["tools/list"]);
  }

  /** Whether a tool was ever added whose calls may be tasks: those that there are can still be asked for. */
  get hasTasks(): boolean {
    return this.#hasTasks;
  }

  /**
   * Answers `tools/call`.
   *
   * @throws InvalidParamsError for an unknown name, with the nearest one [TOOL-019]; HeaderMismatchError
   */
  call(params: CallToolRequestParams, ctx: AnyContext): MaybePromise<JsonObject> {
    const { name, arguments: args = {} } = params;
    return whenDone(this.source.find(name, ctx), (item) => {
      if (item === undefined) {
        throw this.#unknown(name);
      }
      if (item.access.allow === undefined) {
        assertHeaders(item, args, ctx);
        return this.#admit(item, params, ctx);
      }
      return whenDone(isVisible(item.access, ctx), (visible) => {
        if (!visible) {
          throw this.#unknown(name);
        }
        assertHeaders(item, args, ctx);
        return this.#admit(item, params, ctx);
      });
    });
  }

  /**
   * Runs a tool once more, for a task whose process is gone: it was admitted when it was called.
   *
   * @throws InvalidParamsError for an unknown name
   */
  rerun(name: string, args: JsonObject, ctx: RequestContext): MaybePromise<CallToolResult> {
    return whenDone(this.source.find(name, ctx), (item) => {
      if (item === undefined) {
        throw this.#unknown(name);
      }
      return this.#run(item, { name, arguments: args }, ctx);
    });
  }

  #admit(item: ToolItem, params: CallToolRequestParams, ctx: AnyContext): MaybePromise<JsonObject> {
    const { tools } = this.#settings.limits;
    if (tools === undefined) {
      return this.#answer(item, params, ctx);
    }
    return whenDone(tools(ctx, params.name), (verdict) =>
      verdict.ok
        ? this.#answer(item, params, ctx)
        : { ...toFailure(`${params.name}: too many calls; ${whenAgain(verdict)}`) },
    );
  }

  /** Answers with the result, or with a task that comes to it. */
  #answer(item: ToolItem, params: CallToolRequestParams, ctx: AnyContext): MaybePromise<JsonObject> {
    const run = (): MaybePromise<CallToolResult> => this.#run(item, params, ctx);
    return ctx instanceof RequestContext
      ? this.#tasks.answer(item, { params, ctx, run })
      : whenDone(run(), (result) => ({ ...result }));
  }

  #run(
    item: ToolItem,
    { name, arguments: args = {} }: CallToolRequestParams,
    ctx: AnyContext,
  ): MaybePromise<CallToolResult> {
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
