/**
 * What is kept of a task, as plain JSON, and the moves it may make. Pure: who writes it where is table.ts.
 *
 * A move that may not be made gives `undefined`: nothing changes a task that is over.
 * Specification: Basic > Utilities > Tasks > Task Status Lifecycle; Extensions > Tasks > Task Status.
 */
import { createId } from "../base/id.ts";
import type { Call } from "../jsonrpc/link.ts";
import type { JsonObject, JsonRpcErrorObject } from "../jsonrpc/message.ts";
import type { TaskStatus } from "../protocol/types/tasks.ts";

/** How the work of a task ended: as the request without a task would have been answered. */
export type TaskOutcome = { readonly result: JsonObject } | { readonly error: JsonRpcErrorObject };

/** What the requestor is asked while the task waits. */
export interface TaskQuestion extends Call {
  /** How often the work had been saved when it asked; what was asked before is not asked again after a crash. */
  readonly epoch: number;
  /** The exchange that is asking the requestor right now, where the requestor does not fetch questions by itself. */
  readonly askedBy?: string | undefined;
}

/** What is kept of a task. */
export interface TaskRecord {
  readonly taskId: string;
  /** Whose task it is; `undefined` where its requestor is not identified, and then its id is all that protects it. */
  readonly owner?: string | undefined;
  readonly status: TaskStatus;
  /** For people: what is going on, or what went wrong. */
  readonly statusMessage?: string | undefined;
  /** Milliseconds since the epoch. */
  readonly createdAtMs: number;
  /** Milliseconds since the epoch; later with every change of the status. */
  readonly updatedAtMs: number;
  /** How often it was written; tells which of two states is the newer one. */
  readonly writes: number;
  /** How long it is kept from its creation; `null` means for ever. */
  readonly ttlMs: number | null;
  readonly pollIntervalMs?: number | undefined;
  /** The method of the request that the task answers. */
  readonly method: string;
  /** What the request is about, such as the tool. */
  readonly name?: string | undefined;
  /** The process that works on it. */
  readonly node: string;
  /** How many times the work was begun. */
  readonly runs: number;
  /** Whether another process may go on with the work. */
  readonly isResumable: boolean;
  /** What another process needs to go on. */
  readonly origin?: JsonObject | undefined;
  readonly result?: JsonObject | undefined;
  readonly error?: JsonRpcErrorObject | undefined;
  /** Questions without an answer, by key. */
  readonly questions: { readonly [key: string]: TaskQuestion };
  /** Answers by key, for the work to take, and to be given again to work that is run again. */
  readonly answers: { readonly [key: string]: TaskOutcome };
  /** How often the work was saved. */
  readonly epoch: number;
  /** What the work saved last. */
  readonly checkpoint?: unknown;
  /** Results of what is done once. */
  readonly memories: { readonly [key: string]: { readonly value?: unknown } };
}

/** What a new task is made of. */
export interface TaskSeed
  extends Pick<
    TaskRecord,
    "owner" | "ttlMs" | "pollIntervalMs" | "method" | "name" | "node" | "isResumable" | "origin"
  > {
  readonly memories?: TaskRecord["memories"] | undefined;
}

/** Whether the task has reached a final status. */
export function isOver({ status }: Pick<TaskRecord, "status">): boolean {
  return status === "completed" || status === "failed" || status === "cancelled";
}

/** When the task is no longer kept, in milliseconds since the epoch. */
export function expiryOf({ createdAtMs, ttlMs }: Pick<TaskRecord, "createdAtMs" | "ttlMs">): number {
  return createdAtMs + (ttlMs ?? Number.POSITIVE_INFINITY);
}

/** A new task: its id is random and made here, and it works from the start [TASK-016, TASK-017, TASK-020]. */
export function createRecord({ memories = {}, ...seed }: TaskSeed, now: number): TaskRecord {
  return {
    ...seed,
    taskId: createId(),
    status: "working",
    createdAtMs: now,
    updatedAtMs: now,
    writes: 1,
    runs: 1,
    questions: {},
    answers: {},
    epoch: 0,
    memories,
  };
}

/** The work says what it is doing. */
export function describe(record: TaskRecord, statusMessage: string, now: number): TaskRecord | undefined {
  return isOver(record) ? undefined : { ...record, statusMessage, updatedAtMs: Math.max(now, record.updatedAtMs) };
}

/** The work asks the requestor something. */
export function ask(record: TaskRecord, key: string, call: Call, now: number): TaskRecord | undefined {
  const questions = { ...record.questions, [key]: { ...call, epoch: record.epoch } };
  return move({ ...record, questions }, "input_required", now);
}

/** Answers came; those to nothing that is asked are ignored. Once nothing is asked any more, the work goes on. */
export function answer(record: TaskRecord, answers: TaskRecord["answers"], now: number): TaskRecord | undefined {
  const known = Object.entries(answers).filter(([key]) => Object.hasOwn(record.questions, key));
  if (isOver(record) || known.length === 0) {
    return undefined;
  }
  const kept = { ...record, answers: { ...record.answers, ...Object.fromEntries(known) } };
  return withoutQuestions(kept, (key) => known.some(([answered]) => answered === key), now);
}

/** The work no longer wants to know. */
export function withdraw(record: TaskRecord, key: string, now: number): TaskRecord | undefined {
  return isOver(record) || !Object.hasOwn(record.questions, key)
    ? undefined
    : withoutQuestions(record, (asked) => asked === key, now);
}

/** An exchange is going to ask; `undefined` where another one is at it, unless that one is gone. */
export function claim(
  record: TaskRecord,
  key: string,
  askedBy: string,
  isGone: (other: string) => boolean,
): TaskRecord | undefined {
  const question = Object.hasOwn(record.questions, key) ? record.questions[key] : undefined;
  if (isOver(record) || question === undefined) {
    return undefined;
  }
  const { askedBy: other } = question;
  return other === undefined || isGone(other)
    ? { ...record, questions: { ...record.questions, [key]: { ...question, askedBy } } }
    : undefined;
}

/** An exchange ends without an answer: another one may ask. */
export function release(record: TaskRecord, key: string, askedBy: string): TaskRecord | undefined {
  const question = record.questions[key];
  if (question?.askedBy !== askedBy) {
    return undefined;
  }
  const { askedBy: _askedBy, ...free } = question;
  return { ...record, questions: { ...record.questions, [key]: free } };
}

/** The work saved how far it is. */
export function save(record: TaskRecord, checkpoint: unknown): TaskRecord | undefined {
  return isOver(record) ? undefined : { ...record, checkpoint, epoch: record.epoch + 1 };
}

/** Answers are needed no more. */
export function forget(record: TaskRecord, keys: ReadonlySet<string>): TaskRecord {
  const left = Object.entries(record.answers).filter(([key]) => !keys.has(key));
  return { ...record, answers: Object.fromEntries(left) };
}

/** The work did something that is done once. */
export function remember(record: TaskRecord, memories: TaskRecord["memories"]): TaskRecord | undefined {
  return isOver(record) ? undefined : { ...record, memories: { ...record.memories, ...memories } };
}

/** The work ended. A failure says why [TASK-024]. */
export function finish(record: TaskRecord, outcome: TaskOutcome, now: number): TaskRecord | undefined {
  return "result" in outcome
    ? end(record, "completed", now, { result: outcome.result, statusMessage: undefined })
    : end(record, "failed", now, { error: outcome.error, statusMessage: outcome.error.message });
}

/** The requestor wants no more of it [TASK-045, TASK-046]. */
export function cancel(record: TaskRecord, now: number): TaskRecord | undefined {
  return end(record, "cancelled", now, { statusMessage: "the task was cancelled by its requestor" });
}

/** Another process goes on with the work; questions from before it was saved last are not asked any more. */
export function adopt(record: TaskRecord, node: string, now: number): TaskRecord | undefined {
  if (isOver(record)) {
    return undefined;
  }
  const adopted = { ...record, node, runs: record.runs + 1 };
  return withoutQuestions(adopted, (key) => record.questions[key]?.epoch !== record.epoch, now);
}

function end(record: TaskRecord, status: TaskStatus, now: number, more: Partial<TaskRecord>): TaskRecord | undefined {
  const { origin: _origin, checkpoint: _checkpoint, ...rest } = record;
  return isOver(record)
    ? undefined
    : { ...changeStatus(rest, status, now), ...more, questions: {}, answers: {}, memories: {} };
}

function move(record: TaskRecord, status: TaskStatus, now: number): TaskRecord | undefined {
  return isOver(record) ? undefined : changeStatus(record, status, now);
}

/** The time of the last change moves with every change, also within one millisecond [TASK-019]. */
function changeStatus(record: TaskRecord, status: TaskStatus, now: number): TaskRecord {
  return record.status === status ? record : { ...record, status, updatedAtMs: Math.max(now, record.updatedAtMs + 1) };
}

function withoutQuestions(record: TaskRecord, isDone: (key: string) => boolean, now: number): TaskRecord {
  const left = Object.entries(record.questions).filter(([key]) => !isDone(key));
  const rest = { ...record, questions: Object.fromEntries(left) };
  return left.length === 0 ? changeStatus(rest, "working", now) : rest;
}
