/**
 * Answers what a server asks, whether it came as a request or inside a result: checks, middleware, the handler, checks.
 *
 * Everything that is wrong is thrown; what becomes of it is decided by whoever asks here.
 */
import { UsageError } from "../../base/error.ts";
import { RpcError, rpcCodes } from "../../jsonrpc/error.ts";
import type { Call } from "../../jsonrpc/link.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import { capabilityPaths, missingClientCapabilities, requiredClientCapability } from "../../protocol/capabilities.ts";
import { InvalidParamsError, MethodNotFoundError } from "../../protocol/errors.ts";
import { isClientRequest } from "../../protocol/methods.ts";
import { checkParams } from "../../protocol/params.ts";
import { checkResult } from "../../protocol/results.ts";
import type { ClientCapabilities } from "../../protocol/types/lifecycle.ts";
import { type ClientMessage, composeMiddleware } from "../middleware.ts";
import type { Connection } from "../requests/connection.ts";
import type { Handlers } from "./handlers.ts";
import type { ServingContext } from "./serving.ts";

/** Requests during which a person may be asked, so that clocks stand still [PP-037]. */
const asksPerson: ReadonlySet<string> = /* @__PURE__ */ new Set(["sampling/createMessage", "elicitation/create"]);

/** What an answer needs to know of its question. */
export type QuestionContext = Pick<ServingContext, "signal" | "blockedCall">;

/** See the head of this file. */
export class Answering {
  readonly #connection: Connection;
  readonly #handlers: Handlers;

  constructor(connection: Connection, handlers: Handlers) {
    this.#connection = connection;
    this.#handlers = handlers;
  }

  /** Answers a request. The result has the shape of the newest revision. */
  async answer({ method, params }: Call, context: QuestionContext): Promise<JsonObject> {
    const { revision } = this.#connection;
    if (isClientRequest(method) && !revision.has(method, "client")) {
      throw new MethodNotFoundError(method);
    }
    this.#assertServed(method);
    const decoded = revision.decodeParams(method, params);
    const fault = checkParams(method, decoded);
    if (fault !== undefined) {
      throw new InvalidParamsError(fault);
    }
    return this.answerQuestion({ method, params: decoded }, context);
  }

  /**
   * Answers a question that came inside a result, with which it was checked. A revision need not have it as a request.
   */
  async answerQuestion({ method, params }: Call, context: QuestionContext): Promise<JsonObject> {
    const { settings, capabilities } = this.#connection;
    this.#assertServed(method);
    const missing = missingClientCapabilities(needs(method, params), capabilities);
    if (missing !== undefined) {
      const paths = capabilityPaths(missing).join(", ");
      throw new InvalidParamsError(`${method}: expected only what this client declared, which is not ${paths}`);
    }
    const { signal } = context;
    const answer = composeMiddleware(settings.middleware, (message) => this.#serve(message, context));
    const result = (await answer({ direction: "incoming", kind: "request", method, params, signal })) ?? {};
    const mistake = checkResult(method, result);
    if (mistake !== undefined) {
      throw new UsageError(`handler of ${method}: ${mistake}`);
    }
    return result;
  }

  #assertServed(method: string): void {
    if (this.#handlers.get(method) === undefined) {
      throw new MethodNotFoundError(method);
    }
  }

  async #serve({ method, params, signal }: ClientMessage, { blockedCall }: QuestionContext): Promise<JsonObject> {
    const serve = this.#handlers.get(method);
    if (method === "ping" || serve === undefined) {
      return {};
    }
    const { server, outgoing } = this.#connection;
    if (server === undefined) {
      throw new RpcError(rpcCodes.invalidRequest, `${method} came before the handshake was over; only ping may`);
    }
    const resume = asksPerson.has(method) ? outgoing.pause() : undefined;
    try {
      // Params were checked against the method by which the handler was found.
      return await serve((params ?? {}) as never, { server, signal, blockedCall });
    } finally {
      resume?.();
    }
  }
}

/** What a request needs this client to have declared; the context of a sampling request may be left out [SAMP-006]. */
function needs(method: string, params: JsonObject | undefined): ClientCapabilities {
  return requiredClientCapability(method, { ...params, includeContext: undefined }) ?? {};
}
