/**
 * What params and results of every method have in common, and the two notifications that accompany any
 * request: progress and cancellation. The JSON-RPC frame around them lives in `jsonrpc/message.ts`.
 */
import type { RequestId } from "../../jsonrpc/message.ts";
import type { Cursor, NotificationMetaObject, ProgressToken, RequestMetaObject, ResultMetaObject } from "./metadata.ts";

/** Params every request may carry. Specification: Basic > General fields. */
export interface RequestParams {
  _meta?: RequestMetaObject;
}

/** Params every notification may carry. Specification: Basic > General fields. */
export interface NotificationParams {
  _meta?: NotificationMetaObject;
}

/** Params of every list request; without a cursor the list starts at its beginning. Specification: Server > Utilities > Pagination. */
export interface PaginatedRequestParams extends RequestParams {
  cursor?: Cursor;
}

/** The wish to have a request handled as a task that is polled for. Specification: Basic > Utilities > Tasks > Creating Tasks. */
export interface TaskMetadata {
  /** How long the requestor would like the task to be kept, in milliseconds. */
  ttl?: number;
}

/** Params of a request that may be turned into a task by its sender. Specification: Basic > Utilities > Tasks. */
export interface TaskAugmentedRequestParams extends RequestParams {
  task?: TaskMetadata;
}

/** How to read a result: `complete` when absent, else a form that needs more work. Specification: Basic > Results. */
export type ResultType = "complete" | "input_required" | "task" | (string & {});

/** Any result. Results are open: members this library does not know stay readable. Specification: Basic > Results. */
export interface Result {
  _meta?: ResultMetaObject;
  resultType?: ResultType;
  [key: string]: unknown;
}

/** A result that ends its request, as opposed to one that asks for input or hands out a task. Specification: Basic > Results. */
export interface FinalResult extends Result {
  resultType?: "complete";
}

/** An acknowledgement without content. Specification: Schema > Common Types. */
export type EmptyResult = FinalResult;

/** A page of a list; a present `nextCursor` means that more follows. Specification: Server > Utilities > Pagination. */
export interface PaginatedResult extends FinalResult {
  nextCursor?: Cursor;
}

/** How far a request has come. `progress` grows with each notification. Specification: Basic > Utilities > Progress. */
export interface ProgressNotificationParams extends NotificationParams {
  progressToken: ProgressToken;
  progress: number;
  total?: number;
  message?: string;
}

/** The sender of a request no longer wants its answer. Specification: Basic > Utilities > Cancellation. */
export interface CancelledNotificationParams extends NotificationParams {
  requestId?: RequestId;
  reason?: string;
}
