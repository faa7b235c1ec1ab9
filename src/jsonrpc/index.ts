/** Entry "./jsonrpc": messages and link contracts, for people who write links of their own. */
export { type Decoded, decodeText, defaultMaxDepth, encodeMessage } from "./codec.ts";
export { RpcError, type RpcErrorOptions, rpcCodes } from "./error.ts";
export type {
  Call,
  CancellationRules,
  Channel,
  ChannelProblem,
  ChannelReceiver,
  Dispatcher,
  Exchange,
  Link,
  LinkRequestOptions,
} from "./link.ts";
export {
  type Classified,
  classifyMessage,
  createErrorResponse,
  type InvalidMessage,
  isRequestId,
  type JsonObject,
  type JsonRpcErrorObject,
  type JsonRpcErrorResponse,
  type JsonRpcMessage,
  type JsonRpcNotification,
  type JsonRpcRequest,
  type JsonRpcResponse,
  type JsonRpcResultResponse,
  type JsonValue,
  type RequestId,
} from "./message.ts";
export { Peer, type PeerOptions } from "./peer.ts";
export { MessageTooLargeError } from "./too-large.ts";
