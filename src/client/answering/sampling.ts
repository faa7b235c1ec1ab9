/**
 * Serving sampling: a server asks this client's model for a message, with a person's say before and after.
 *
 * Which model, and how it is called, is the host's. Specification: Client > Sampling.
 */
import { UsageError } from "../../base/error.ts";
import type { Clock } from "../../base/timer.ts";
import { RpcError, rpcCodes } from "../../jsonrpc/error.ts";
import { requiredClientCapability } from "../../protocol/capabilities.ts";
import { InvalidParamsError, mcpCodes } from "../../protocol/errors.ts";
import { checkSamplingBalance } from "../../protocol/sampling-balance.ts";
import type { ClientCapabilities } from "../../protocol/types/lifecycle.ts";
import type { CreateMessageRequestParams, CreateMessageResult } from "../../protocol/types/sampling.ts";
import type { TaskAcceptance } from "../tasks/task-options.ts";
import { createRateLimit, type RateLimitOptions } from "./rate-limit.ts";
import type { ServingContext } from "./serving.ts";

/** What a person decided: go on, refuse, or go on with what was edited. */
export type Decision<T> = boolean | T;

/** How sampling is served. */
export interface SamplingOptions {
  /**
   * Asks the model. It may drop the system prompt, use fewer tokens and choose any model; `chooseModel` reads the
   * preferences.
   */
  createMessage: (
    request: CreateMessageRequestParams,
    context: ServingContext,
  ) => CreateMessageResult | Promise<CreateMessageResult>;
  /** Whether requests may bring tools. Default false: those that do are refused [SAMP-004]. */
  tools?: boolean | undefined;
  /** Whether `includeContext` is honoured. Default false: it is passed on but announced as unsupported. */
  context?: boolean | undefined;
  /** Asked before the model: show the request, let it be edited or refused [SAMP-025]. Default: goes on. */
  approveRequest?: (
    request: CreateMessageRequestParams,
    context: ServingContext,
  ) => Decision<CreateMessageRequestParams> | Promise<Decision<CreateMessageRequestParams>>;
  /** Asked before the answer leaves: show it, let it be edited or refused [SAMP-025]. Default: goes on. */
  approveResult?: (
    result: CreateMessageResult,
    context: ServingContext,
  ) => Decision<CreateMessageResult> | Promise<Decision<CreateMessageResult>>;
  /** Whether servers may ask for messages as tasks. Default false: `task` is ignored [TASK-005]. */
  tasks?: TaskAcceptance | undefined;
  /** How many requests one server may make. Default 60 in 60 000 ms [SAMP-026]. */
  rateLimit?: RateLimitOptions | undefined;
}

/** What the options announce [SAMP-001]. */
export function toSamplingCapability({ tools, context }: SamplingOptions): NonNullable<ClientCapabilities["sampling"]> {
  return { ...(tools ? { tools: {} } : undefined), ...(context ? { context: {} } : undefined) };
}

/** Answers `sampling/createMessage`. */
export type SamplingHandler = (
  request: CreateMessageRequestParams,
  context: ServingContext,
) => Promise<CreateMessageResult>;

/** Makes the handler of one session. */
export function createSamplingHandler(options: SamplingOptions, clock: Clock): SamplingHandler {
  const limit = createRateLimit(options.rateLimit ?? { maxRequests: 60, perMs: 60_000 }, clock);
  return async (request, context) => {
    const fault = checkSamplingBalance(request.messages);
    if (fault !== undefined) {
      throw new InvalidParamsError(fault);
    }
    if (!limit.take()) {
      throw new RpcError(rpcCodes.internalError, "too many sampling requests; wait before asking again");
    }
    const approved = decide(request, (await options.approveRequest?.(request, context)) ?? true, "request");
    const result = await options.createMessage(approved, context);
    const answer = decide(result, (await options.approveResult?.(result, context)) ?? true, "answer");
    if (!knowsTools(approved) && holdsToolUse(answer)) {
      throw new UsageError("createMessage: expected an answer without tool_use, as no tools came with the request");
    }
    return answer;
  };
}

function decide<T>(proposed: T, decision: Decision<T>, what: string): T {
  if (decision === false) {
    throw new RpcError(mcpCodes.userRejected, `the user rejected the sampling ${what}`);
  }
  return decision === true ? proposed : decision;
}

function knowsTools(request: CreateMessageRequestParams): boolean {
  return requiredClientCapability("sampling/createMessage", { ...request })?.sampling?.tools !== undefined;
}

/** Whether an answer wants a tool to be used, which only means something to who offered tools [SAMP-003]. */
function holdsToolUse({ content }: CreateMessageResult): boolean {
  return (Array.isArray(content) ? content : [content]).some((block) => block?.type === "tool_use");
}
