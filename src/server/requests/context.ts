/**
 * What a handler is given beside its arguments. Made by request-context.ts.
 *
 * All that is sent from here belongs to the request being answered, also after awaits. Members can be taken apart
 * (`const { log, progress } = ctx`). What belongs to no request goes through `session`.
 */
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { RequestOptions } from "../../protocol/outgoing.ts";
import type { AuthInfo } from "../../protocol/types/auth.ts";
import type { ClientCapabilities } from "../../protocol/types/lifecycle.ts";
import type { Implementation } from "../../protocol/types/metadata.ts";
import type { Root } from "../../protocol/types/roots.ts";
import type { CreateMessageRequestParams, CreateMessageResult } from "../../protocol/types/sampling.ts";
import type { HttpDetails } from "../../revision/exchange.ts";
import type { SchemaOutput } from "../../schema/infer.ts";
import type { AcceptedSchema } from "../../schema/standard.ts";
import type { Log } from "../logging/log.ts";
import type { MaybePromise } from "../maybe.ts";
import type { ServerSession } from "../sessions/session.ts";
import type { TaskHandle } from "../tasks/task-handle.ts";

/** What the person decided. Declining is an answer, cancelling puts it off; neither throws [ELIC-022]. */
export type ElicitOutcome<Content> =
  | { readonly action: "accept"; readonly content: Content }
  | { readonly action: "decline" }
  | { readonly action: "cancel" };

/** Options of every question to the client. */
export interface QuestionOptions extends RequestOptions {
  /**
   * What the client knows the question by, where questions travel inside results; told apart by a number when used
   * again within a call. Clients may answer such a question with their first request. Default: made of its words, so
   * that an answer is never taken for that to another question.
   */
  key?: string | undefined;
}

/** Options of a question that the client may take as a task. */
export interface TaskQuestionOptions extends QuestionOptions {
  /**
   * Asks for a task, which the client accepts at once and keeps the answer of, for as long as `ttlMs` says if it agrees.
   * Refused here where the client does not declare such tasks, which only clients of 2025-11-25 do. Default false.
   */
  task?: boolean | { readonly ttlMs?: number | undefined } | undefined;
}

/** Options of a question to a person: no limit on silence, an hour altogether, unless said otherwise. */
export interface ElicitOptions extends TaskQuestionOptions {
  /** Fields that may be asked for although their names look like secrets. Never use it for real ones. */
  allowSecretLookingFields?: readonly string[] | undefined;
}

/** A page to open. */
export interface UrlRequest {
  /** Why, for the person. */
  message: string;
  /** `https:`, or `http:` on this machine in development. Holds nothing secret and opens nothing by itself. */
  url: string | URL;
  /**
   * Names it; made up unless given. Put it into the URL, so that the page knows what it is about; make it with
   * `ctx.once`, so that the question stays the same when the handler runs again.
   */
  elicitationId?: string | undefined;
}

/** What the person decided, and how to say that the page has done its part. */
export interface UrlOutcome {
  /** `accept` means that the person agreed to open the page, not that anything happened there [ELIC-023]. */
  readonly action: "accept" | "decline" | "cancel";
  readonly elicitationId: string;
  /** Tells the client that asked, once, that the interaction is complete; reports where its revision cannot be told. */
  complete(): Promise<void>;
}

/** What a client says about itself, unverified. Nothing depends on its name. */
export interface ClientDetails {
  readonly info: Implementation | undefined;
  /** What it can do; what it did not declare cannot be asked of it. Extensions are under `extensions`. */
  readonly capabilities: ClientCapabilities;
}

/**
 * What a handler gets beside its arguments.
 *
 * @typeParam Value - what the `context` option of the server made for this request
 */
export interface Context<Value = unknown> {
  /** Aborts when the client cancels, the link closes or the server stops. Pass it on to whatever waits. */
  readonly signal: AbortSignal;
  /** What the server's `context` option made of this request. */
  readonly value: Value;
  /**
   * Writes log messages to the client, from the level it asked for on. Specification: Server > Utilities > Logging.
   *
   * Deprecated by the newest revision, for clients of every revision still at hand: what only operators read belongs on standard
   * error or into tracing.
   */
  readonly log: Log;
  /** Who calls, where that was verified. */
  readonly auth: AuthInfo | undefined;
  /** Who is at the other end and what it can do, as it says itself; for a request, as that request says. */
  readonly client: ClientDetails;
  /** The session, where the request belongs to one: for what belongs to no request. */
  readonly session: ServerSession | undefined;
  /** The revision spoken, for display only. */
  readonly revision: string;
  /** The HTTP request, on links that have one. */
  readonly request: HttpDetails | undefined;
  /** The `_meta` of the request, as it came. */
  readonly meta: Readonly<JsonObject>;
  /**
   * Says how far the work is. Does nothing where the client did not ask for it.
   *
   * @param done - grows with every call
   * @param total - how much there is, where known
   * @throws UsageError when a number is not finite
   */
  readonly progress: (done: number, total?: number, message?: string) => void;
  /**
   * Asks the person by a form, and gives the checked answer. Specification: Client > Elicitation > Form Mode.
   *
   * @throws MissingCapabilityError where the client cannot, UsageError for a form that may not be shown, TimeoutError
   *   after an hour unless said otherwise; a task waits for as long as it is kept
   */
  readonly elicit: <const Schema extends AcceptedSchema>(
    message: string,
    schema: Schema,
    options?: ElicitOptions,
  ) => Promise<ElicitOutcome<SchemaOutput<Schema>>>;
  /** Asks the person to open a page. Specification: Client > Elicitation > URL Mode. */
  readonly elicitUrl: (request: UrlRequest, options?: QuestionOptions) => Promise<UrlOutcome>;
  /**
   * Asks the client's model for a message. Specification: Client > Sampling.
   *
   * Deprecated by the newest revision, which still has it: a server that has a model of its own should call that.
   */
  readonly sample: (params: CreateMessageRequestParams, options?: TaskQuestionOptions) => Promise<CreateMessageResult>;
  /**
   * The folders the client lets the server work in. Specification: Client > Roots.
   *
   * Deprecated by the newest revision, which still has it: arguments, resource URIs or configuration can name folders too.
   */
  readonly roots: (options?: QuestionOptions) => Promise<readonly Root[]>;
  /**
   * Does work once per call, also where the handler runs again for every round of answers. Whatever must not happen
   * twice and comes before a question belongs in here, and so does what differs each time: ids, times, random numbers.
   *
   * @param key - names the work within this call
   * @param work - its result must be JSON or nothing; it travels with the client, encrypted
   * @returns the result of the one time it ran
   * @throws UsageError where the result is not JSON; what the work throws, which is then not kept
   *
   * @example
   * ```ts
   * import { tool } from "parley-mcp/server";
   *
   * export const book = tool({ description: "Books a room" }, async (_args, ctx) => {
   *   const room = await ctx.once("hold", () => ({ id: crypto.randomUUID() }));
   *   const answer = await ctx.elicit(`Book ${room.id}?`, { type: "object", properties: {} });
   *   return answer.action === "accept" ? `booked ${room.id}` : "released";
   * });
   * ```
   */
  readonly once: <T>(key: string, work: () => MaybePromise<T>) => Promise<T>;
  /**
   * The task that the handler works on; `undefined` where there is none. Everything above and below belongs to it then,
   * for as long as it goes on, whatever became of the request.
   */
  readonly task: TaskHandle | undefined;
  /**
   * Has the call go on as a task from here on, where the tool's `task` option leaves that to the server and the client
   * knows tasks: the client gets the task as its answer, and comes for the result later. What was asked before was asked
   * in the call itself.
   *
   * @returns the task, also where there was one already; `undefined` where the call stays as it is
   * @throws RpcError for one task more than there may be
   *
   * @example
   * ```ts
   * import { tool } from "parley-mcp/server";
   *
   * export const render = tool(
   *   { description: "Renders the film", task: { support: "optional", begin: "handler" } },
   *   async (_args, ctx) => {
   *     const answer = await ctx.elicit("In colour?", { type: "object", properties: {} });
   *     await ctx.beginTask();
   *     return answer.action === "accept" ? "rendered in colour" : "rendered in black and white";
   *   },
   * );
   * ```
   */
  readonly beginTask: () => Promise<TaskHandle | undefined>;
  /** Sends a notification that belongs to this request. */
  readonly notify: (method: string, params?: JsonObject) => Promise<void>;
  /** Asks the client anything, on behalf of this request; the answer is not checked. */
  readonly ask: (method: string, params?: JsonObject, options?: QuestionOptions) => Promise<JsonObject>;
  /** Ends the stream of the answer early where the link can; the client fetches the answer later. False where it cannot. */
  readonly closeStream: () => boolean;
}

/** A context that fits every handler: which value a handler may expect was checked where the server was defined. */
export type AnyContext = Context<never>;
