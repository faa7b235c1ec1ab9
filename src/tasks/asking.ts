/**
 * Asking the requestor what a task wants to know, on behalf of one exchange that is open to it.
 *
 * Each question is claimed in the record before it is asked, so that of all open exchanges, on all processes, one asks.
 * An exchange that ends without an answer leaves the question to the next. Specification: Basic > Utilities > Tasks >
 * Input Required Status.
 */
import type { OnDiagnostic } from "../base/diagnostic.ts";
import { ClosedError } from "../base/error.ts";
import { createId } from "../base/id.ts";
import type { Clock } from "../base/timer.ts";
import { RpcError } from "../jsonrpc/error.ts";
import type { Call } from "../jsonrpc/link.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import type { Presence } from "../store/presence.ts";
import { answer, claim, isOver, release, type TaskOutcome, type TaskRecord } from "./record.ts";
import type { TaskTable } from "./table.ts";

/** Asks the requestor one question, and gives its answer. */
export type AskRequestor = (call: Call, signal: AbortSignal) => Promise<JsonObject>;

/** What asking needs of those around it. */
export interface AskingHost {
  readonly table: TaskTable;
  readonly presence: Presence;
  readonly clock: Clock;
  readonly onDiagnostic: OnDiagnostic;
}

/** See the head of this file. One object per open exchange. */
export class TaskAsking {
  readonly #host: AskingHost;
  readonly #askRequestor: AskRequestor;
  readonly #ended = new AbortController();
  /** Questions that are being asked here, or were. */
  readonly #open = new Set<string>();
  /** Names this exchange: its process and a text of its own. */
  readonly #name: string;
  #cancelTimer: () => void = () => undefined;

  constructor(host: AskingHost, askRequestor: AskRequestor) {
    this.#host = host;
    this.#askRequestor = askRequestor;
    this.#name = `${host.presence.id} ${createId(6)}`;
  }

  /** Asks whatever the task wants to know and nobody is asking. */
  consider(record: TaskRecord): void {
    this.#cancelTimer();
    if (isOver(record) || this.#ended.signal.aborted) {
      return;
    }
    let isAskedElsewhere = false;
    for (const [key, { askedBy }] of Object.entries(record.questions)) {
      if (!this.#open.has(key)) {
        this.#open.add(key);
        isAskedElsewhere ||= askedBy !== undefined;
        this.#ask(record.taskId, key, askedBy).catch((error: unknown) => {
          const message = "a question of a task could not be asked, or its answer not be kept";
          this.#host.onDiagnostic({ code: "MCP_D_TASK_STORE", message, detail: error });
        });
      }
    }
    if (isAskedElsewhere) {
      // Whoever is asking may die; nobody tells of that.
      const { clock, presence } = this.#host;
      this.#cancelTimer = clock.after(presence.leaseMs, () => this.consider(record));
    }
  }

  /** The exchange has ended. */
  end(reason: unknown): void {
    this.#cancelTimer();
    this.#ended.abort(reason);
  }

  async #ask(taskId: string, key: string, askedBy: string | undefined): Promise<void> {
    const { table, clock } = this.#host;
    const call = await this.#claim(taskId, key, askedBy);
    if (call === undefined) {
      this.#open.delete(key);
      return;
    }
    const outcome = await this.#fetch(call);
    await table.update(taskId, (record) =>
      outcome === undefined ? release(record, key, this.#name) : answer(record, { [key]: outcome }, clock.now()),
    );
  }

  async #claim(taskId: string, key: string, askedBy: string | undefined): Promise<Call | undefined> {
    const { table, presence } = this.#host;
    const [node = ""] = askedBy?.split(" ") ?? [];
    const isDead = askedBy !== undefined && node !== presence.id && !(await presence.isAlive(node));
    if (askedBy !== undefined && !isDead) {
      return undefined;
    }
    const claimed = await table.update(taskId, (record) =>
      claim(record, key, this.#name, (other) => isDead && other === askedBy),
    );
    const question = claimed?.isChanged === true ? claimed.record.questions[key] : undefined;
    return question && { method: question.method, params: question.params };
  }

  /** The requestor's answer; `undefined` where the exchange ended before there was one. */
  async #fetch(call: Call): Promise<TaskOutcome | undefined> {
    try {
      return { result: await this.#askRequestor(call, this.#ended.signal) };
    } catch (error) {
      if (this.#ended.signal.aborted || error instanceof ClosedError) {
        return undefined;
      }
      return { error: toErrorObject(error) };
    }
  }
}

/** The requestor's own error, or what kept it from answering, in the words that the work may hear. */
function toErrorObject(error: unknown): { code: number; message: string; data?: unknown } {
  if (error instanceof RpcError) {
    const { rpcCode, message, data } = error;
    return { code: rpcCode, message, ...(data === undefined ? undefined : { data }) };
  }
  return { code: -32_603, message: error instanceof Error ? error.message : "the question was not answered" };
}
