/**
 * Tools as functions: `session.tools.add({ a: 1, b: 2 })`, typed by the server's definition where that is known.
 *
 * Nothing is looked up: every name makes a function, and the server decides whether the tool exists.
 */
import type { JsonObject } from "../../jsonrpc/message.ts";
import { ToolError } from "../../protocol/errors.ts";
import type { RequestOptions } from "../../protocol/outgoing.ts";
import type { ContentBlock } from "../../protocol/types/content.ts";
import type { ToolArguments, ToolName, ToolOutput } from "../../protocol/types/definition.ts";
import type { CallToolResult } from "../../protocol/types/tools.ts";
import type { TaskWish } from "../tasks/task-options.ts";

/** Options of a tool call. */
export interface ToolCallOptions extends RequestOptions {
  /**
   * Asks for a task, so that the call outlives connections; the result is the same. It is refused here where server or tool
   * do not allow it, and unneeded where a tool demands it or the server decides by itself. Default false.
   */
  task?: boolean | TaskWish | undefined;
}

/** The arguments of a call: optional where the tool needs none or where nothing is known. */
export type CallArguments<Input> = unknown extends Input
  ? [args?: JsonObject, options?: ToolCallOptions]
  : Record<never, never> extends Input
    ? [args?: Input, options?: ToolCallOptions]
    : [args: Input, options?: ToolCallOptions];

/** What a call gives: the structured result, or the content of a tool that has none. */
export type CallValue<Output> = unknown extends Output
  ? unknown
  : [Output] extends [undefined]
    ? readonly ContentBlock[]
    : Output;

/** A result whose structured content is what the definition says; all else is as the protocol has it. */
export type TypedCallResult<Output> = unknown extends Output
  ? CallToolResult
  : CallToolResult & { structuredContent?: Output };

/** One function per tool. */
export type TypedTools<App> = {
  readonly [Name in ToolName<App>]: (
    ...call: CallArguments<ToolArguments<App, Name>>
  ) => Promise<CallValue<ToolOutput<App, Name>>>;
};

/** Calls a tool by name. */
export type CallTool = (
  name: string,
  args: JsonObject | undefined,
  options: ToolCallOptions | undefined,
) => Promise<CallToolResult>;

/**
 * Makes the functions.
 *
 * @param callTool - where they all lead to; a result with `isError` becomes a {@link ToolError}
 */
export function createTypedTools<App>(callTool: CallTool): TypedTools<App> {
  const target = Object.create(null) as TypedTools<App>;
  return new Proxy(target, {
    get: (_, name) => {
      // A promise would take an object with a `then` for another promise.
      if (typeof name === "symbol" || name === "then") {
        return undefined;
      }
      return async (args?: JsonObject, options?: ToolCallOptions) => toValue(name, await callTool(name, args, options));
    },
  });
}

function toValue(name: string, result: CallToolResult): unknown {
  const { content, structuredContent, isError } = result;
  if (isError === true) {
    const texts = content.flatMap((block) => (block.type === "text" ? [block.text] : []));
    throw new ToolError(texts.join("\n") || `${name} failed without saying why`, { content });
  }
  return structuredContent === undefined ? content : structuredContent;
}
