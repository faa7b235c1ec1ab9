/**
 * Requests of the protocol as typed calls, with all that may happen until there is a result: what was kept is used again,
 * what the server asks is answered, pages that a call turns out to need are visited, headers are put right.
 */
import type { JsonObject } from "../../jsonrpc/message.ts";
import { mcpCodes } from "../../protocol/errors.ts";
import type { ServerRequests } from "../../protocol/methods.ts";
import type { Handlers } from "../answering/handlers.ts";
import type { InputDriver } from "../answering/input-driver.ts";
import type { CachedRequests } from "../cache/cache.ts";
import { isTask, type TaskFollowing } from "../tasks/task-following.ts";
import type { Connection, ConnectionRequestOptions } from "./connection.ts";
import { isRpcError } from "./rpc-error.ts";

/** What a caller works with. */
export interface CallerParts {
  readonly connection: Connection;
  readonly handlers: Handlers;
  readonly cached: CachedRequests;
  readonly inputs: InputDriver;
  readonly tasks: TaskFollowing;
  /** Fetches the list of tools anew. */
  readonly relist: (signal: AbortSignal | undefined) => Promise<unknown>;
}

/** Options of one request. */
export interface CallerOptions extends ConnectionRequestOptions {
  /** Fetches whatever is kept. */
  reload?: boolean | undefined;
  /** Gives a result that asks for input, or a task, to the caller, who goes on. Default: that is done here. */
  inputRounds?: "manual" | undefined;
  /**
   * What follows a task that a request was answered with, told how much time has passed; `"manual"` gives the task to the
   * caller. Default: it is followed here.
   */
  tasks?: "manual" | ((created: JsonObject, elapsedMs: number) => Promise<JsonObject>) | undefined;
}

/** See the head of this file. */
export class Caller {
  readonly #parts: CallerParts;

  constructor(parts: CallerParts) {
    this.#parts = parts;
  }

  /** Sends a request of the protocol. Its result has been checked to have the shape the type says. */
  async request<M extends keyof ServerRequests>(
    method: M,
    params: ServerRequests[M]["params"],
    options: CallerOptions = {},
  ): Promise<ServerRequests[M]["result"]> {
    const result = await this.send(method, params as JsonObject, options);
    return result as ServerRequests[M]["result"];
  }

  /** Sends any request; and again each time pages have been visited that it turned out to need. */
  async send(method: string, params: JsonObject | undefined, options: CallerOptions = {}): Promise<JsonObject> {
    const { connection, handlers } = this.#parts;
    const { server, signal, isStateless } = connection;
    const { urls } = handlers;
    const send = (): Promise<JsonObject> => this.#complete(method, params, options);
    return urls === undefined || server === undefined || isStateless
      ? send()
      : urls.run(send, { server, signal: options.signal ?? signal });
  }

  /** Sends a request, and follows the task that it may become. */
  async #complete(method: string, params: JsonObject | undefined, options: CallerOptions): Promise<JsonObject> {
    const { tasks, connection } = this.#parts;
    const { outgoing } = connection;
    const begun = outgoing.activeMs;
    const call = { method, params };
    const send = (given: CallerOptions): Promise<JsonObject> => this.#sendRounds(method, params, given);
    const result =
      params?.task === undefined || connection.revision.traits.tasks !== "core"
        ? await send(options)
        : await tasks.create(call, options, (others) => send({ ...options, ...others, signal: undefined }));
    if (!isTask(result) || options.tasks === "manual" || options.inputRounds === "manual") {
      return result;
    }
    const elapsedMs = outgoing.activeMs - begun;
    const { idleTimeoutMs } = options;
    return options.tasks === undefined
      ? tasks.finish(tasks.begin(result, { call, idleTimeoutMs }), method, options, elapsedMs)
      : options.tasks(result, elapsedMs);
  }

  /** Sends a request, and drives the rounds of questions before its result. */
  #sendRounds(method: string, params: JsonObject | undefined, options: CallerOptions): Promise<JsonObject> {
    const { connection, inputs } = this.#parts;
    if (!connection.isStateless || options.inputRounds === "manual") {
      return this.#sendRound(method, params, options);
    }
    return inputs.run(
      method,
      params,
      (round) => {
        const { idleTimeoutMs = options.idleTimeoutMs } = round;
        return this.#sendRound(method, round.params, { ...options, signal: round.signal, idleTimeoutMs });
      },
      options,
    );
  }

  /** Sends once; and once more where the server missed headers of which its list of tools tells [M-HDR-022]. */
  async #sendRound(method: string, params: JsonObject | undefined, options: CallerOptions): Promise<JsonObject> {
    const { connection, relist } = this.#parts;
    try {
      return await this.#fetch(method, params, options);
    } catch (error) {
      if (method !== "tools/call" || !connection.mirrorsHeaders || !isHeaderMismatch(error)) {
        throw error;
      }
      await relist(options.signal);
    }
    return this.#fetch(method, params, options);
  }

  #fetch(method: string, params: JsonObject | undefined, options: CallerOptions): Promise<JsonObject> {
    const { connection, cached } = this.#parts;
    const { reload: _reload, inputRounds: _rounds, tasks: _tasks, ...rest } = options;
    return cached.request(method, params, (signal) => connection.request(method, params, { ...rest, signal }), options);
  }
}

function isHeaderMismatch(error: unknown): boolean {
  return isRpcError(error) && error.remote && error.rpcCode === mcpCodes.headerMismatch;
}
