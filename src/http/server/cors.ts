/**
 * Cross-origin requests of browsers: what a preflight is answered with, and the headers of every other reply.
 *
 * Off unless configured. Whether an origin may call at all is decided in guard.ts. Fetch Standard, section 3.2.
 */
import { headerNames } from "../headers.ts";
import { createEmptyReply, type HttpHeaders, type HttpRequest, type TextReply } from "../message.ts";
import { standardHeaderNames } from "../standard-headers.ts";
import type { CorsOptions } from "./options.ts";

/** Builds CORS headers. The origin itself is the caller's to check. */
export interface Cors {
  /** Headers that let a page of this origin read the reply. */
  headersFor(origin: string): HttpHeaders;
  /**
   * The answer to a preflight of this origin.
   *
   * @param requested - the request headers that the page wants to send, as received
   */
  preflight(origin: string, requested: string | undefined): TextReply;
}

/** Compiles the options. */
export function createCors(options: CorsOptions, methods: readonly string[]): Cors {
  const exposed = [
    headerNames.sessionId,
    headerNames.protocolVersion,
    headerNames.retryAfter,
    "www-authenticate",
    "dpop-nonce",
  ];
  const allowed = [
    headerNames.accept,
    headerNames.authorization,
    "dpop",
    headerNames.contentType,
    headerNames.lastEventId,
    headerNames.protocolVersion,
    headerNames.sessionId,
    standardHeaderNames.method,
    standardHeaderNames.name,
    ...(options.allowHeaders ?? []).map((name) => name.toLowerCase()),
  ];
  const headersFor = (origin: string): HttpHeaders => ({
    "access-control-allow-origin": origin,
    "access-control-expose-headers": exposed.join(", "),
    vary: "origin",
  });
  return {
    headersFor,
    preflight: (origin, requested) =>
      createEmptyReply(204, {
        ...headersFor(origin),
        vary: "origin, access-control-request-headers",
        "access-control-allow-methods": methods.join(", "),
        "access-control-allow-headers": [...allowed, ...findParamHeaders(requested)].join(", "),
        "access-control-max-age": String(options.maxAgeSeconds ?? 86_400),
      }),
  };
}

/** Headers of tool parameters among those that a page wants to send: tools name them, so no list can hold them. */
function findParamHeaders(requested = ""): string[] {
  return requested
    .toLowerCase()
    .split(",")
    .map((name) => name.trim())
    .filter((name) => /^mcp-param-[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name));
}

/** Whether a request is a browser's question before the real one. */
export function isPreflight(request: HttpRequest): boolean {
  return request.method === "OPTIONS" && request.header("access-control-request-method") !== undefined;
}
