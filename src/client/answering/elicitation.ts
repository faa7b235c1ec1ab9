/**
 * Serving elicitation: a server asks the person, by a form or by a page to open.
 *
 * How the question looks is the host's. Pages to open are url-elicitation.ts. Specification: Client > Elicitation.
 */
import { UsageError } from "../../base/error.ts";
import type { Clock } from "../../base/timer.ts";
import { RpcError, rpcCodes } from "../../jsonrpc/error.ts";
import { checkFormContent } from "../../protocol/elicitation-content.ts";
import { defaultsOf } from "../../protocol/elicitation-schema.ts";
import type {
  ElicitContent,
  ElicitRequestFormParams,
  ElicitRequestParams,
  ElicitResult,
  RequestedSchema,
} from "../../protocol/types/elicitation.ts";
import type { ClientCapabilities } from "../../protocol/types/lifecycle.ts";
import type { TaskAcceptance } from "../tasks/task-options.ts";
import { createRateLimit, type RateLimitOptions } from "./rate-limit.ts";
import type { ServingContext } from "./serving.ts";
import type { UrlElicitationOptions, UrlElicitations } from "./url-elicitation.ts";

/** A form to show. */
export interface FormElicitation {
  /** What the server wants and why. Plain text: make no link of anything in it [ELIC-042]. */
  readonly message: string;
  /** The fields: flat, of primitive types. */
  readonly schema: RequestedSchema;
  /** What the fields start with [ELIC-013]. */
  readonly defaults: ElicitContent;
  readonly params: ElicitRequestFormParams;
}

/** What the person decided. Let them review and edit before `accept` [ELIC-016]. */
export type FormAnswer =
  | { readonly action: "accept"; readonly content: ElicitContent }
  | { readonly action: "decline" | "cancel" };

/** How elicitation is served. What is given is announced; at least one mode must be [ELIC-001]. */
export interface ElicitationOptions {
  /** Shows a form. Content that does not fit the form is never sent [ELIC-014]. */
  form?: ((form: FormElicitation, context: ServingContext) => FormAnswer | Promise<FormAnswer>) | undefined;
  /** Sends the person to a page. */
  url?: UrlElicitationOptions | undefined;
  /** Whether servers may ask as tasks. Default false: `task` is ignored [TASK-005]. */
  tasks?: TaskAcceptance | undefined;
  /** How many questions one server may ask. Default 30 in 60 000 ms [ELIC-035]. */
  rateLimit?: RateLimitOptions | undefined;
}

/**
 * What the options announce.
 *
 * @throws {@link UsageError} without any mode
 */
export function toElicitationCapability({
  form,
  url,
}: ElicitationOptions): NonNullable<ClientCapabilities["elicitation"]> {
  if (form === undefined && url === undefined) {
    throw new UsageError("elicitation: expected a handler for form or for url, got neither");
  }
  return { ...(form && { form: {} }), ...(url && { url: {} }) };
}

/** Answers `elicitation/create`. */
export type ElicitationHandler = (request: ElicitRequestParams, context: ServingContext) => Promise<ElicitResult>;

/** Makes the handler of one session. */
export function createElicitationHandler(
  options: ElicitationOptions,
  urls: UrlElicitations | undefined,
  clock: Clock,
): ElicitationHandler {
  const limit = createRateLimit(options.rateLimit ?? { maxRequests: 30, perMs: 60_000 }, clock);
  return async (request, context) => {
    if (!limit.take()) {
      throw new RpcError(rpcCodes.internalError, "too many elicitation requests; wait before asking again");
    }
    if (request.mode === "url") {
      return { action: (await urls?.serve(request, context)) ?? "cancel" };
    }
    return serveForm(options, request, context);
  };
}

async function serveForm(
  { form }: ElicitationOptions,
  params: ElicitRequestFormParams,
  context: ServingContext,
): Promise<ElicitResult> {
  const { message, requestedSchema: schema } = params;
  const answer = (await form?.({ message, schema, defaults: defaultsOf(schema), params }, context)) ?? {
    action: "cancel",
  };
  if (answer.action !== "accept") {
    return { action: answer.action };
  }
  const fault = checkFormContent(schema, answer.content);
  if (fault !== undefined) {
    throw new UsageError(`elicitation handler: ${fault}`);
  }
  return { action: "accept", content: answer.content };
}
