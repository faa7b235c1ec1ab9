/**
 * A standing stream of which nothing is kept: whoever is connected gets what is sent on this node, and what changes on any.
 */
import { encodeMessage } from "../../jsonrpc/codec.ts";
import type { Call, LinkRequestOptions } from "../../jsonrpc/link.ts";
import { type JsonObject, toNotification } from "../../jsonrpc/message.ts";
import type { StreamReply } from "../message.ts";
import { eventStreamHeaders } from "../sse-writer.ts";
import { ChangesReader } from "./changes-reader.ts";
import type { Asking } from "./questions.ts";
import type { HttpRuntime } from "./runtime.ts";
import { createDeafError, reportUnsent, type StandingStream } from "./standing-stream.ts";
import { StreamOutput } from "./stream-output.ts";
import type { StreamOwner } from "./stream-owner.ts";

/** See the head of this file. */
export class LiveStanding implements StandingStream {
  readonly #runtime: HttpRuntime;
  readonly #owner: StreamOwner;
  readonly #onConnections: (change: 1 | -1) => void;
  #output: StreamOutput | undefined;

  constructor(runtime: HttpRuntime, owner: StreamOwner, onConnections: (change: 1 | -1) => void) {
    this.#runtime = runtime;
    this.#owner = owner;
    this.#onConnections = onConnections;
  }

  get isConnected(): boolean {
    return this.#output?.isOver === false;
  }

  async connect(): Promise<StreamReply> {
    const newest = await this.#runtime.changesTail.position();
    this.#owner.claimStanding();
    return {
      kind: "stream",
      status: 200,
      headers: eventStreamHeaders,
      open: (sink) => {
        const previous = this.#output;
        const output = new StreamOutput(this.#runtime, sink, { polling: false, onConnections: this.#onConnections });
        this.#output = output;
        previous?.end(true);
        const changes = new ChangesReader(this.#runtime, output, newest, {
          getAudience: () => this.#owner.audience,
          getPlace: () => undefined,
        });
        changes.start();
        return output.listener;
      },
    };
  }

  async notify(call: Call): Promise<void> {
    if (this.isConnected) {
      this.#output?.put(undefined, encodeMessage(toNotification(call)));
      await this.#output?.caughtUp;
    } else {
      reportUnsent(this.#runtime, call);
    }
  }

  async ask(call: Call, options: LinkRequestOptions, questions: Pick<Asking, "ask">): Promise<JsonObject> {
    if (!this.isConnected) {
      throw createDeafError(call);
    }
    return await questions.ask(call, options, (text) => this.#output?.put(undefined, text));
  }

  suspend(): void {
    // Does nothing: the client would miss what is sent before it is back.
  }

  supersede(): void {
    this.#output?.end(true);
  }

  async finish(): Promise<void> {
    this.#output?.end(false);
  }

  async release(): Promise<void> {
    this.#output?.end(true);
  }
}
