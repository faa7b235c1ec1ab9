/** What `connect` takes, and the link or channel that it means. Commands and files are connect.node.ts. */

import type { OAuthClient } from "../auth/client/oauth-client.ts";
import { UsageError } from "../base/error.ts";
import { parseUrl } from "../base/url.ts";
import { Client } from "../client/client.ts";
import type { ClientOptions } from "../client/options.ts";
import type { ConnectTarget } from "../client/sessions/link-source.ts";
import { type CompatibleHttpOptions, createCompatibleHttpLink } from "../http/legacy/client.ts";
import type { Channel, Link } from "../jsonrpc/link.ts";
import { createMemoryPair } from "../memory/pair.ts";
import { latestHandshake } from "../revision/registry.ts";

/** What can be served in this process: what `defineServer` returns. */
export interface Servable {
  serve(channel: Channel): unknown;
}

/** What `connect` takes. */
export type Target = string | URL | Servable | Link | Channel;

/** A host as people write it before a path or port, without the scheme that makes it a URL. */
const hostForm = /^(?:localhost|[\w-]+(?:\.[\w-]+)+|\[[\da-f:.]+\])(?::\d{1,5}(?:\/\S*)?|\/\S*)$/i;

/** A client from what `connect` was given. */
export function resolveClient(client: Client | ClientOptions | undefined): Client {
  return client instanceof Client ? client : new Client(client ?? { name: "parley", version: "1" });
}

/** How a target is reached, and by what name it is known beyond one session. */
export interface Reached {
  readonly link: ConnectTarget;
  /** The full URL of an endpoint. */
  readonly server?: string | undefined;
  /** Names the login that is used. */
  readonly authorization?: (() => string | undefined) | undefined;
  /** What the way of logging in has the client announce. */
  readonly extensions?: OAuthClient["extensions"];
  /** What is known of its revision beforehand. */
  readonly negotiated?: string | undefined;
}

/** How URLs are reached. */
export interface ReachOptions {
  readonly http?: CompatibleHttpOptions | undefined;
  readonly auth?: OAuthClient | undefined;
}

/**
 * The way to a target.
 *
 * @throws {@link UsageError} for what is none
 */
export function reach(target: Target, { http, auth }: ReachOptions): Reached {
  if (typeof target === "string" || target instanceof URL) {
    const url = toEndpointUrl(String(target));
    // Whoever is known to speak the old transport need not be asked for a revision that came long after it.
    const negotiated = http?.transport === "legacy" ? latestHandshake.id : undefined;
    const known = { server: url.href, negotiated };
    if (auth === undefined) {
      return { link: createCompatibleHttpLink(url, http), ...known };
    }
    const fetch = auth.fetchFor(url, http?.fetch);
    const login = { authorization: () => auth.grantOf(url), extensions: auth.extensions };
    return { link: createCompatibleHttpLink(url, { ...http, fetch }), ...known, ...login };
  }
  if (typeof target === "object" && target !== null) {
    if ("serve" in target && typeof target.serve === "function") {
      return { link: () => serveWhenOpened(target) };
    }
    if (("start" in target && typeof target.start === "function") || ("open" in target && isChannel(target))) {
      return { link: target };
    }
  }
  throw new UsageError(
    `connect: expected a URL, a server definition, a link or a channel, got ${describeTarget(target)}`,
  );
}

/** Whether a text would be a URL with a scheme before it: the scheme is what beginners leave out. */
export function lacksScheme(text: string): boolean {
  return hostForm.test(text);
}

/**
 * The error for a text or URL that is no address of a server.
 *
 * @param others - what else could have been meant, where commands and files are none
 */
export function createAddressError(text: string, others: string): UsageError {
  const expected = "connect: expected the URL of an MCP endpoint, beginning with https: or http:";
  if (lacksScheme(text)) {
    const scheme = /^(?:localhost|127\.|\[::1\])/i.test(text) ? "http" : "https";
    return new UsageError(`${expected}, got ${JSON.stringify(text)}: write ${scheme}://${text}`);
  }
  return new UsageError(`${expected}, got ${JSON.stringify(text)}${others}`);
}

function toEndpointUrl(text: string): URL {
  const url = parseUrl(text);
  if (url?.protocol === "https:" || url?.protocol === "http:") {
    return url;
  }
  throw createAddressError(text, ": commands and files are taken by parley-mcp/connect/node");
}

function isChannel(target: Servable | Link | Channel): target is Channel {
  return "open" in target && typeof target.open === "function" && "send" in target;
}

/** One end of a memory pair whose other end is served once this one is opened: before that, nothing is to be closed. */
function serveWhenOpened(app: Servable): Channel {
  const [clientEnd, serverEnd] = createMemoryPair();
  return {
    open: async (receiver) => {
      app.serve(serverEnd);
      await clientEnd.open(receiver);
    },
    send: (message) => clientEnd.send(message),
    close: () => clientEnd.close(),
  };
}

function describeTarget(target: unknown): string {
  if (target === null || typeof target !== "object") {
    return target === null ? "null" : typeof target;
  }
  if ("command" in target) {
    return "a command: those are taken by parley-mcp/connect/node";
  }
  return "url" in target ? "an object with a url: give the URL itself" : "an object that is none of these";
}
