/**
 * Rounds of sampling with tools: the model asks for tools, they are run here, their results go back, until it is done.
 *
 * Bounded: in the last round the model is told to use no tools. Specification: Client > Sampling > Sampling with Tools.
 */
import { UsageError } from "../../base/error.ts";
import type { RequestOptions } from "../../protocol/outgoing.ts";
import type { ToolResultContent, ToolUseContent } from "../../protocol/types/content.ts";
import type { ToolTypes } from "../../protocol/types/definition.ts";
import type {
  CreateMessageRequestParams,
  CreateMessageResult,
  SamplingMessage,
} from "../../protocol/types/sampling.ts";
import { compileTool, type ToolHost } from "../features/compile-tool.ts";
import type { ToolItem } from "../features/item.ts";
import type { ToolDefinition } from "../features/tool.ts";
import type { AnyContext, Context } from "../requests/context.ts";

/** Options of {@link runToolLoop}. */
export interface ToolLoopOptions<Value = unknown>
  extends RequestOptions,
    Omit<CreateMessageRequestParams, "tools" | "task"> {
  /** The tools the model may use, by name; made with `tool`. They are seen by nobody else. */
  tools: Readonly<Record<string, ToolDefinition<ToolTypes, Value>>>;
  /** Most requests to the model; in the last one it must not use tools. Default 10, at least 1. */
  maxRounds?: number | undefined;
}

/** How a loop ended. */
export interface ToolLoopResult {
  /** The model's last word. */
  readonly result: CreateMessageResult;
  /** The whole conversation, the last word included. */
  readonly messages: readonly SamplingMessage[];
  readonly rounds: number;
}

const preparedTools = /* @__PURE__ */ new WeakMap<object, ToolItem>();

const host: ToolHost = { maskErrors: false, onError: () => undefined };

/**
 * Lets the client's model work with tools until it needs no more [SAMP-021].
 *
 * A tool that fails tells the model so. Results of tools with an output schema are checked against it [SAMP-022].
 *
 * @param ctx - the context of the request this belongs to
 * @throws MissingCapabilityError where the client does not offer sampling with tools, with nothing sent
 *
 * @example
 * ```ts
 * import { runToolLoop, tool } from "parley-mcp/server";
 *
 * const clock = tool({ description: "Tells the time" }, () => new Date().toISOString());
 * export const ask = tool({ description: "Asks the model" }, async (_args, ctx) => {
 *   const { result } = await runToolLoop(ctx, {
 *     messages: [{ role: "user", content: { type: "text", text: "What time is it?" } }],
 *     maxTokens: 200,
 *     tools: { clock },
 *   });
 *   return JSON.stringify(result.content);
 * });
 * ```
 */
export async function runToolLoop<Value>(
  ctx: Context<Value>,
  options: ToolLoopOptions<Value>,
): Promise<ToolLoopResult> {
  const {
    tools: given,
    maxRounds = 10,
    messages: first,
    signal,
    idleTimeoutMs,
    totalTimeoutMs,
    onProgress,
    ...params
  } = options;
  if (!Number.isInteger(maxRounds) || maxRounds < 1) {
    throw new UsageError(`runToolLoop: expected maxRounds to be an integer of at least 1, got ${maxRounds}`);
  }
  const items = new Map(Object.entries(given).map(([name, definition]) => [name, prepared(name, definition)]));
  const tools = [...items.values()].map((item) => item.wire);
  const messages: SamplingMessage[] = [...first];
  const requestOptions = { signal, idleTimeoutMs, totalTimeoutMs, onProgress };
  for (let round = 1; ; round += 1) {
    const isLast = round === maxRounds;
    const toolChoice = isLast ? { toolChoice: { mode: "none" as const } } : {};
    const result = await ctx.sample({ ...params, messages: [...messages], tools, ...toolChoice }, requestOptions);
    messages.push({ role: result.role, content: result.content });
    const uses = toolUsesOf(result);
    if (uses.length === 0 || isLast) {
      return { result, messages, rounds: round };
    }
    const content = await Promise.all(uses.map((use) => runTool(items, use, ctx)));
    messages.push({ role: "user", content });
  }
}

/** A tool is prepared once for each name it is used under last. */
function prepared<Value>(name: string, definition: ToolDefinition<ToolTypes, Value>): ToolItem {
  const known = preparedTools.get(definition);
  if (known?.wire.name === name) {
    return known;
  }
  const item = compileTool(name, definition as ToolDefinition, host);
  preparedTools.set(definition, item);
  return item;
}

function toolUsesOf({ content }: CreateMessageResult): readonly ToolUseContent[] {
  const blocks = Array.isArray(content) ? content : [content];
  return blocks.filter((block): block is ToolUseContent => block.type === "tool_use");
}

async function runTool(
  items: ReadonlyMap<string, ToolItem>,
  { id, name, input }: ToolUseContent,
  ctx: Context<never> | Context,
): Promise<ToolResultContent> {
  const item = items.get(name);
  if (item === undefined) {
    const text = `no tool ${JSON.stringify(name)}; there are ${[...items.keys()].join(", ")}`;
    return { type: "tool_result", toolUseId: id, content: [{ type: "text", text }], isError: true };
  }
  const { content, structuredContent, isError } = await item.call(input, ctx as AnyContext);
  return {
    type: "tool_result",
    toolUseId: id,
    content,
    ...(structuredContent === undefined ? undefined : { structuredContent }),
    ...(isError === true ? { isError } : undefined),
  };
}
