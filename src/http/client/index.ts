/** Entry `parley-mcp/http/client`: Streamable HTTP for clients. */
export type { HeaderSource } from "./configured-headers.ts";
export { createHttpLink, type HttpLink, type HttpLinkDescription } from "./link.ts";
export type { Fetch, FetchInit, HttpClientOptions, StandingStreamState } from "./options.ts";
export type { ReconnectOptions } from "./reconnect.ts";
export type { RetryOptions } from "./retry.ts";
