/** Where a Redis is, as messages name it: host and port, never the credentials. */
import { UsageError } from "../../base/error.ts";
import { isObject } from "../../base/json.ts";

/**
 * Reads a URL.
 *
 * @throws UsageError for a URL of another kind, and for one whose path is not the number of a database
 * @returns the URL as `@redis/client` takes it, and the place it names
 */
export function readUrl(text: string): { readonly url: string; readonly place: string } {
  const url = text.replace(/^valkey(s?):/, "redis$1:");
  if (!/^rediss?:\/\//.test(url) || !URL.canParse(url)) {
    // The text itself may hold a password.
    throw new UsageError("target: expected a URL that begins with redis:// or rediss://, or a client");
  }
  const { hostname, port, pathname } = new URL(url);
  if (!/^\/?\d*$/.test(pathname)) {
    throw new UsageError("target: expected nothing or the number of a database behind the host, as in redis://host/0");
  }
  return { url, place: `${hostname || "localhost"}:${port || "6379"}` };
}

/** Reads what a client says of itself. */
export function placeOfHandle(options: unknown): string {
  const outer = isObject(options) ? options : {};
  const details = isObject(outer.socket) ? outer.socket : outer;
  const { host = "localhost", port = 6379, path } = details;
  return typeof path === "string" ? path : `${String(host)}:${String(port)}`;
}
