/**
 * Entry "./stdio/server": this process's standard input and output as a channel.
 *
 * It ends the session when the input ends; ending the process is the business of who serves (connect/serve.node.ts).
 */
import process from "node:process";
import type { Readable, Writable } from "node:stream";
import { createDeferred } from "../base/deferred.ts";
import type { OnDiagnostic } from "../base/diagnostic.ts";
import { ClosedError, type McpError, UsageError } from "../base/error.ts";
import { systemClock } from "../base/timer.ts";
import type { Channel, ChannelReceiver } from "../jsonrpc/link.ts";
import type { JsonRpcMessage } from "../jsonrpc/message.ts";
import { LineWriter } from "./line-writer.node.ts";
import { defaultMaxMessageBytes, encodeLine, MessageReader } from "./ndjson.ts";
import { guardStdout } from "./stdout-guard.node.ts";

/** How long closing waits for a client that does not read. */
const flushTimeoutMs = 1_000;

/** Options of {@link createStdioServerChannel}. */
export interface StdioServerChannelOptions {
  /** Where messages come from. Default `process.stdin`, looked up when the channel is opened. */
  stdin?: Readable | undefined;
  /** Where messages go. Default `process.stdout`, looked up when the channel is opened. It is not ended. */
  stdout?: Writable | undefined;
  /** Where guarded output goes. Default `process.stderr`. */
  stderr?: Writable | undefined;
  /**
   * Whether `console.log` and other writes to `stdout` go to `stderr` while the channel is open. Default true:
   * one stray line would break the protocol for clients that are not tolerant.
   */
  guardStdout?: boolean | undefined;
  /**
   * Largest message in either direction, in bytes. Default 64 MiB. A longer line is skipped, and its request answered
   * with an error; a longer answer is refused with `MessageTooLargeError`. Some clients take no more than 10 MiB.
   */
  maxMessageBytes?: number | undefined;
  /** Told of output that was kept off the wire, once for each place in the program that prints. */
  onDiagnostic?: OnDiagnostic | undefined;
}

/**
 * Serves one session on standard input and output. Specification: Basic > Transports > stdio.
 *
 * The channel closes when the input ends, closes or fails, and when the client stops reading.
 *
 * @throws {@link UsageError} when `maxMessageBytes` is no positive number
 * @example
 * ```ts
 * import { defineServer } from "parley-mcp/server";
 * import { createStdioServerChannel } from "parley-mcp/stdio/server";
 *
 * const app = defineServer({ name: "demo", version: "1.0.0" });
 * app.serve(createStdioServerChannel());
 * ```
 */
export function createStdioServerChannel(options: StdioServerChannelOptions = {}): Channel {
  const { maxMessageBytes = defaultMaxMessageBytes } = options;
  if (!(maxMessageBytes > 0)) {
    throw new UsageError(`maxMessageBytes: expected a positive number, got ${maxMessageBytes}`);
  }
  return new StdioServerChannel(options, maxMessageBytes);
}

class StdioServerChannel implements Channel {
  readonly #options: StdioServerChannelOptions;
  readonly #maxMessageBytes: number;
  #receiver: ChannelReceiver | undefined;
  #writer: LineWriter | undefined;
  #release: () => void = () => undefined;
  #ended: Promise<void> | undefined;

  constructor(options: StdioServerChannelOptions, maxMessageBytes: number) {
    this.#options = options;
    this.#maxMessageBytes = maxMessageBytes;
  }

  async open(receiver: ChannelReceiver): Promise<void> {
    if (this.#receiver !== undefined || this.#ended !== undefined) {
      throw new UsageError("a stdio channel is opened once: expected a new channel, got one that was open before");
    }
    const { stdin = process.stdin, stdout = process.stdout, stderr = process.stderr } = this.#options;
    this.#receiver = receiver;
    // Before the guard, so that the writer has the stream's own `write`.
    this.#writer = new LineWriter(stdout);
    const unguard =
      this.#options.guardStdout === false ? undefined : guardStdout(stdout, stderr, this.#options.onDiagnostic);
    const unlisten = this.#listen(stdin, stdout, receiver);
    this.#release = () => {
      unlisten();
      unguard?.();
    };
    if (stdin.readableEnded || stdin.destroyed) {
      void this.#finish(undefined);
    }
  }

  send(message: JsonRpcMessage): Promise<void> | undefined {
    if (this.#writer === undefined || this.#ended !== undefined) {
      throw new ClosedError("expected an open stdio channel, got one that is not: nothing can be sent");
    }
    return this.#writer.write(encodeLine(message, this.#maxMessageBytes));
  }

  async close(): Promise<void> {
    await this.#finish(undefined);
  }

  #listen(stdin: Readable, stdout: Writable, receiver: ChannelReceiver): () => void {
    const reader = new MessageReader(
      {
        message: (value) => {
          if (this.#ended === undefined) {
            receiver.message(value);
          }
        },
        malformed: (problem) => {
          if (this.#ended === undefined) {
            receiver.malformed(problem);
          }
        },
      },
      this.#maxMessageBytes,
    );
    const onData = (chunk: Uint8Array): void => reader.push(chunk);
    const onClose = (): void => void this.#finish(undefined);
    const onEnd = (): void => {
      stdin.off("close", onClose);
      // The last line may lack its end and still be a request; what answers it at once may do so.
      reader.end();
      setImmediate(onClose);
    };
    stdin.on("data", onData).on("end", onEnd).on("close", onClose);
    stdout.on("close", onClose);
    // These two stay: a late EPIPE without a listener would end the process, and with it every other session.
    stdin.on("error", (cause) => this.#finish(new ClosedError(`standard input failed: ${cause.message}`, { cause })));
    stdout.on("error", (cause) =>
      this.#finish(new ClosedError(`the client stopped reading: ${cause.message}`, { cause })),
    );
    return () => {
      stdin.off("data", onData).off("end", onEnd).off("close", onClose);
      stdout.off("close", onClose);
      stdin.pause();
    };
  }

  #finish(fault: McpError | undefined): Promise<void> {
    if (this.#ended === undefined) {
      const ended = createDeferred();
      this.#ended = ended.promise;
      this.#writer?.close();
      this.#release();
      this.#receiver?.closed(fault);
      const cancel = systemClock.after(flushTimeoutMs, ended.resolve);
      void (this.#writer?.flushed() ?? Promise.resolve()).then(ended.resolve);
      void ended.promise.then(cancel);
    }
    return this.#ended;
  }
}
