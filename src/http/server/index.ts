/** Entry "./http/server": Streamable HTTP for servers, web-standard. */
export type {
  HttpBody,
  HttpHeaders,
  HttpReply,
  HttpRequest,
  Sink,
  SinkListener,
  StreamReply,
  TextReply,
} from "../message.ts";
export type { AccessPolicy, AccessPredicate } from "./access-policy.ts";
export type { Authentication, HttpAuthenticator } from "./authenticator.ts";
export type { HttpExchange } from "./exchange.ts";
export { createHttpHandler, type HttpHandler } from "./handler.ts";
export type {
  CorsOptions,
  HttpServerOptions,
  ReplyFormat,
  ResumabilityOptions,
  SessionOptions,
} from "./options.ts";
export type { HttpStats } from "./runtime.ts";
