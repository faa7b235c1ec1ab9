/**
 * Asking the client inside a result: a request ends early, names what it needs, and is sent again with
 * the answers. Driving those rounds is up to client and server.
 */
import type { ElicitRequestParams, ElicitResult } from "./elicitation.ts";
import type { RequestParams, Result } from "./message.ts";
import type { ListRootsResult } from "./roots.ts";
import type { CreateMessageRequestParams, CreateMessageResult } from "./sampling.ts";

/** A question without a JSON-RPC frame. Specification: Basic > Multi Round-Trip Requests. */
export type InputRequest =
  | { method: "sampling/createMessage"; params: CreateMessageRequestParams }
  | { method: "elicitation/create"; params: ElicitRequestParams }
  | { method: "roots/list"; params?: RequestParams };

/** Questions under keys chosen by the server. Specification: Basic > Multi Round-Trip Requests. */
export interface InputRequests {
  [key: string]: InputRequest;
}

/** An answer without a JSON-RPC frame. Specification: Basic > Multi Round-Trip Requests. */
export type InputResponse = CreateMessageResult | ElicitResult | ListRootsResult;

/** Answers under the keys of their questions. Specification: Basic > Multi Round-Trip Requests. */
export interface InputResponses {
  [key: string]: InputResponse;
}

/** Params of a request that may be the retry of an earlier one. Specification: Basic > Multi Round-Trip Requests. */
export interface InputResponseRequestParams extends RequestParams {
  inputResponses?: InputResponses;
  /** Echoed byte for byte from the result that asked. */
  requestState?: string;
}

/** A result that asks; at least one of its two members is present. Specification: Basic > Multi Round-Trip Requests. */
export interface InputRequiredResult extends Result {
  resultType: "input_required";
  inputRequests?: InputRequests;
  /** Opaque to the client. */
  requestState?: string;
}
