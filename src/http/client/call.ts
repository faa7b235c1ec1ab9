/**
 * One request from its POST to its answer, which comes as JSON or on an event stream (answer-stream.ts). Owns the
 * connections of the request; correlates nothing beyond its own id.
 *
 * Specification: Basic > Transports > Sending messages.
 */
import { type LinkedSignal, onAbort } from "../../base/abort.ts";
import { createDeferred } from "../../base/deferred.ts";
import { ClosedError, PeerError, toMcpError } from "../../base/error.ts";
import { decodeText, encodeMessage } from "../../jsonrpc/codec.ts";
import type { Call } from "../../jsonrpc/link.ts";
import {
  type Classified,
  classifyMessage,
  type JsonObject,
  type JsonRpcNotification,
  type JsonRpcResponse,
} from "../../jsonrpc/message.ts";
import { headerNames } from "../headers.ts";
import { eventStreamType, isMediaType, jsonType } from "../media-type.ts";
import type { AnswerReading } from "./answer-stream.ts";
import { lingerMs, readText } from "./body.ts";
import { describeFault } from "./endpoint.ts";
import type { Receiver } from "./inbound.ts";
import { createTypeError, type Refused, readRefusal, toRpcError } from "./refusal.ts";
import type { Outlet } from "./tell.ts";

/** What a request needs beside where it goes. */
export interface CallContext extends Outlet {
  readonly inbound: Receiver;
  /** Reads an event stream until it has brought the answer; rejects when no way to that is left. */
  readonly readAnswer: (response: Response, reading: AnswerReading) => Promise<void>;
  /** Tells the server that a request was given up; `undefined` where the lost connection tells it. */
  readonly cancel: ((id: number, call: Call, reason: unknown) => void) | undefined;
}

/** One request on its way. */
export class HttpCall {
  readonly #context: CallContext;
  readonly #id: number;
  readonly #call: Call;
  readonly #onRelated: ((notification: JsonRpcNotification) => void) | undefined;
  /** Ends the connections of this request; the end of its lifetime does so too. */
  readonly #connections: LinkedSignal;
  readonly #answer = createDeferred<JsonObject>();
  #settled = false;
  #sent = false;
  #streaming = false;
  #releaseCaller: (() => void) | undefined;
  #stopLingering: (() => void) | undefined;

  constructor(
    context: CallContext,
    id: number,
    call: Call,
    onRelated: ((notification: JsonRpcNotification) => void) | undefined,
  ) {
    this.#context = context;
    this.#connections = context.lifetime.follow();
    this.#id = id;
    this.#call = call;
    this.#onRelated = onRelated;
  }

  /** Sends the request and settles with its answer, the lifetime's end, or the signal's reason, whichever is first. */
  run(signal: AbortSignal | undefined): Promise<JsonObject> {
    onAbort(this.#connections.signal, (reason) => this.#fail(reason));
    if (signal !== undefined && !this.#settled) {
      this.#releaseCaller = onAbort(signal, (reason) => this.#giveUp(reason));
    }
    void this.#drive()
      .catch((error: unknown) => this.#fail(error))
      .finally(() => {
        this.#connections.release();
        this.#stopLingering?.();
      });
    return this.#answer.promise;
  }

  async #drive(): Promise<void> {
    const { endpoint, session, headers, readAnswer } = this.#context;
    const { method, params } = this.#call;
    const signal = this.#connections.signal;
    const what = `POST of ${method} to`;
    const refused: Refused = { endpoint, session, what, id: this.#id, inSession: session?.hasId ?? false, signal };
    const message = params === undefined ? { method } : { method, params };
    const response = await endpoint.post(encodeMessage({ jsonrpc: "2.0", id: this.#id, ...message }), headers, {
      signal,
      onSent: (sent) => {
        this.#sent = sent;
      },
    });
    if (!response.ok) {
      throw await readRefusal(response, refused);
    }
    if (method === "initialize") {
      session?.adoptId(response);
    }
    const type = response.headers.get(headerNames.contentType);
    if (isMediaType(type, jsonType)) {
      this.#receiveWhole(await this.#readWhole(response, signal));
    } else if (isMediaType(type, eventStreamType)) {
      this.#streaming = true;
      await readAnswer(response, {
        method,
        isAnswered: () => this.#settled,
        onMessage: (classified) => this.#receive(classified),
        signal,
      });
    } else {
      throw createTypeError(response, `${jsonType} or ${eventStreamType}`, refused);
    }
  }

  /** A connection that breaks within the body is told of as one that breaks within a stream is. */
  async #readWhole(response: Response, signal: AbortSignal): Promise<string> {
    try {
      return await readText(response, this.#context.options.maxMessageBytes, signal);
    } catch (error) {
      signal.throwIfAborted();
      const broke = `${this.#call.method}: the connection broke before the answer was complete; it was not sent again`;
      throw toMcpError(error, () => new ClosedError(`${broke}: ${describeFault(error)}`, { cause: error }));
    }
  }

  #receiveWhole(text: string): void {
    const expected = `${this.#call.method}: expected a JSON-RPC answer to request ${this.#id}`;
    const decoded = decodeText(text);
    if (!decoded.ok) {
      throw new PeerError(`${expected}: ${decoded.error.message}`);
    }
    if (Array.isArray(decoded.value) && this.#context.session?.revision.traits.batching === true) {
      // Where there are batches, an answer may come in one, with whatever else the server has to say.
      for (const each of decoded.value) {
        this.#receive(classifyMessage(each));
      }
      if (!this.#settled) {
        throw new PeerError(`${expected}, got an array without it`);
      }
      return;
    }
    const classified = classifyMessage(decoded.value);
    if (classified.kind === "response" && this.#isOurs(classified.message)) {
      this.#settle(classified.message);
    } else if (classified.kind === "invalid") {
      throw new PeerError(`${expected}: ${classified.error.message}`);
    } else {
      const { message } = classified;
      const came = "method" in message ? `a ${classified.kind}` : `an answer to ${JSON.stringify(message.id)}`;
      throw new PeerError(`${expected}, got ${came}`);
    }
  }

  #receive(classified: Classified): void {
    const { inbound, options } = this.#context;
    switch (classified.kind) {
      case "request":
        inbound.request(classified.message);
        break;
      case "notification":
        this.#receiveNotification(classified.message);
        break;
      case "response":
        if (this.#isOurs(classified.message) && !this.#settled) {
          this.#settle(classified.message);
        } else {
          const message = `an answer to request ${JSON.stringify(classified.message.id)} on the stream of request ${this.#id}`;
          options.report({ code: "MCP_D_UNKNOWN_RESPONSE", message });
        }
        break;
      case "invalid":
        if (classified.meant === "response" && classified.id === this.#id) {
          this.#fail(new PeerError(`${this.#call.method}: invalid answer: ${classified.error.message}`));
        }
        inbound.invalid(classified);
        break;
    }
  }

  #receiveNotification(message: JsonRpcNotification): void {
    const { inbound, options } = this.#context;
    if (this.#onRelated === undefined || this.#settled) {
      inbound.notification(message);
      return;
    }
    inbound.cancellation(message);
    try {
      this.#onRelated(message);
    } catch (error) {
      const text = `handling ${message.method}, which belongs to ${this.#call.method}, failed`;
      options.report({ code: "MCP_D_LISTENER_FAULT", message: text, detail: error });
    }
  }

  /** An error without an id can only be about the request whose answer carries it. */
  #isOurs(message: JsonRpcResponse): boolean {
    return message.id === this.#id || ((message.id ?? undefined) === undefined && "error" in message);
  }

  #settle(message: JsonRpcResponse): void {
    if (!("result" in message)) {
      this.#fail(toRpcError(message));
      return;
    }
    if (this.#call.method === "initialize") {
      this.#context.session?.adoptRevision(message.result);
    }
    if (this.#finish()) {
      this.#answer.resolve(message.result);
    }
  }

  #fail(error: unknown): void {
    if (this.#finish()) {
      this.#answer.reject(error);
    }
  }

  #finish(): boolean {
    if (this.#settled) {
      return false;
    }
    this.#settled = true;
    this.#releaseCaller?.();
    if (this.#streaming) {
      // The server ends the stream after the answer, which leaves the connection usable; one that does not is cut.
      const cut = (): void => this.#connections.abort(new ClosedError(`${this.#call.method}: answered`));
      this.#stopLingering = this.#context.options.clock.after(lingerMs, cut);
    }
    return true;
  }

  /** Releases the caller at once, then tells the server where a lost connection tells it nothing [HTTP-023] [HTTP-024]. */
  #giveUp(reason: unknown): void {
    this.#connections.abort(reason);
    if (this.#sent) {
      this.#context.cancel?.(this.#id, this.#call, reason);
    }
  }
}
