/**
 * What an error while a session is opened means for the person who named the target: where it happened and what to try.
 *
 * The class, code and details stay; the original is the `cause`.
 */
import { ClosedError, HttpError, isMcpError, type McpError, PeerError, TimeoutError } from "../base/error.ts";
import type { Target } from "./target.ts";

/** What is to be opened. */
export interface Opening {
  /** For messages, without secrets. */
  readonly place: string;
  /** The endpoint, where the target is one. */
  readonly url?: URL | undefined;
  /** How often the server's program was started. */
  readonly starts?: (() => number) | undefined;
  /** What the server's process has said so far on standard error. */
  readonly stderrLines?: (() => readonly string[]) | undefined;
}

/** Lines of a silent process that are shown. */
const shownLines = 5;

/** Statuses that a server gives where it has no MCP endpoint. */
const wrongPath: ReadonlySet<number> = /* @__PURE__ */ new Set([400, 404, 405, 406, 410, 415]);

/** What is opened for a target that is no program. */
export function describeOpening(target: Target): Opening {
  if (typeof target === "string" || target instanceof URL) {
    const url = new URL(target);
    return { place: `${url.origin}${url.pathname}`, url };
  }
  return { place: "serve" in target ? "the server in this process" : "the server behind the given link" };
}

/** An error as it is thrown by `connect`. */
export function explainOpening(error: unknown, opening: Opening): unknown {
  if (!isMcpError(error)) {
    return error;
  }
  if (error instanceof TimeoutError && error.limit === "connect") {
    const message = `${error.message} with ${opening.place}${describeSilence(opening)}`;
    return new TimeoutError(message, { limit: "connect", timeoutMs: error.timeoutMs, cause: error });
  }
  const { cause } = error;
  if (error instanceof ClosedError && isMcpError(cause) && cause.code === "MCP_SERVER_PROCESS") {
    if ((opening.starts?.() ?? 1) > 1) {
      // Both ended in the same way, so the last words of the last one tell of the first too.
      cause.message += "\n(it was started twice: first asked server/discover, then initialize)";
    }
    return cause;
  }
  return opening.url === undefined ? error : explainHttp(error, opening.url);
}

function explainHttp(error: McpError, url: URL): McpError {
  if (error instanceof HttpError) {
    const hint =
      error.status === 401 || error.status === 403
        ? '; the server wants to know who calls: log in, as auth: createLogin({ clientName: "..." }), or pass a token, as http: { headers: { authorization: "Bearer ..." } }'
        : wrongPath.has(error.status)
          ? describePath(url)
          : "";
    const { status, excerpt, retryAfterMs } = error;
    return hint === "" ? error : new HttpError(error.message + hint, { status, excerpt, retryAfterMs, cause: error });
  }
  if (error instanceof PeerError) {
    return new PeerError(`${error.message}; something answers there, but not as an MCP server${describePath(url)}`, {
      cause: error,
    });
  }
  return error instanceof ClosedError
    ? new ClosedError(`${error.message}; is the server running, and is this its address?`, { cause: error })
    : error;
}

function describePath({ origin, pathname }: URL): string {
  return pathname === "/"
    ? `; the URL has no path, and the endpoint is often at ${origin}/mcp`
    : `; check the path ${pathname}`;
}

function describeSilence({ stderrLines }: Opening): string {
  const last = stderrLines?.().slice(-shownLines).join("\n") ?? "";
  if (last === "") {
    return stderrLines === undefined ? "" : "; it printed nothing on standard error. Is it an MCP server over stdio?";
  }
  return `; its last lines on standard error:\n${last}`;
}
