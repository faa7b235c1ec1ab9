// The contract of links, for every link there is.

import { createHttpLink, type Fetch } from "parley-mcp/http/client";
import { createLegacyHttpChannel } from "parley-mcp/http/legacy/client";
import { createLegacyHttpHandler } from "parley-mcp/http/legacy/server";
import { listen } from "parley-mcp/http/node";
import { createHttpHandler, type ReplyFormat } from "parley-mcp/http/server";
import { type Channel, type Link, Peer } from "parley-mcp/jsonrpc";
import { createMemoryPair } from "parley-mcp/memory";
import { createStdioChannel } from "parley-mcp/stdio/client";
import { mcpCancellation } from "../../src/protocol/cancellation.ts";
import { createContractServer } from "../fixtures/contract-server.ts";
import { createStdioPair } from "../fixtures/stdio-pair.ts";
import type { WireMessage } from "../fixtures/wire.ts";
import { type ContractEnd, type ContractLink, describeLink } from "./link.ts";

const limitBytes = 100_000;
type Answer = Awaited<ReturnType<NonNullable<ContractEnd["post"]>>>;

/** Sees each response that the link's own calls do not wait for. */
function tap(channel: Channel): { readonly channel: Channel; next(): Promise<Answer> } {
  const own = new Set<unknown>();
  let take: (answer: Answer) => void = () => {};
  return {
    channel: {
      open: (receiver) =>
        channel.open({
          ...receiver,
          malformed: (problem) => receiver.malformed(problem),
          closed: (fault) => receiver.closed(fault),
          message: (value) => {
            const message = value as WireMessage;
            if (message.method === undefined && !own.delete(message.id)) {
              take(message as Answer);
            }
            receiver.message(value);
          },
        }),
      send: (message) => {
        if ("method" in message && "id" in message) {
          own.add(message.id);
        }
        return channel.send(message);
      },
      close: () => channel.close(),
    },
    next: () =>
      new Promise((resolve) => {
        take = resolve;
      }),
  };
}

function toLink(channel: Channel): Link<never> {
  return new Peer<never>(channel, { createContext: () => undefined as never, cancellation: mcpCancellation });
}

const memory: ContractLink = {
  name: "memory",
  tells: true,
  open: async () => {
    const app = createContractServer();
    const [client, server] = createMemoryPair();
    app.serve(server);
    const { channel, next } = tap(client);
    return {
      link: toLink(channel),
      post: async (text) => {
        const answer = next();
        // Values that are no messages travel as they are; text that is no JSON cannot travel at all.
        client.send((text.endsWith(":") ? {} : JSON.parse(text)) as never);
        const { id, error } = await answer;
        return {
          ...(id === undefined ? undefined : { id }),
          ...(error && { error: text.endsWith(":") ? { code: -32700 } : error }),
        };
      },
      close: () => app.close(),
    };
  },
};

const stdio: ContractLink = {
  name: "stdio framing over streams",
  tells: true,
  limitBytes,
  open: async () => {
    const app = createContractServer();
    const pair = createStdioPair({ maxMessageBytes: limitBytes });
    app.serve(pair.server);
    const { channel, next } = tap(pair.client);
    return {
      link: toLink(channel),
      post: (text) => {
        const answer = next();
        pair.up.write(`${text}\n`);
        return answer;
      },
      garble: () => pair.down.write('this is no message\n{"jsonrpc":"2.0"}\n'),
      close: () => app.close(),
    };
  },
};

const child: ContractLink = {
  name: "stdio over a process",
  tells: true,
  limitBytes,
  open: async () => {
    const file = new URL("../fixtures/contract-process.ts", import.meta.url).pathname;
    const channel = createStdioChannel({
      command: process.execPath,
      args: ["--conditions=parley-mcp", "--import", "tsx", file, String(limitBytes)],
      maxMessageBytes: limitBytes,
    });
    return {
      link: toLink(channel),
      garble: () => process.kill(channel.pid ?? 0, "SIGUSR2"),
      close: async () => {},
    };
  },
};

/** Sends text with the session of the link that last used this `fetch`. */
function withSession(fetch: Fetch, url: string): { readonly fetch: Fetch; post(text: string): Promise<Answer> } {
  let headers: Record<string, string> = {};
  return {
    fetch: (target, init) => {
      headers = init.method === "POST" ? { ...init.headers } : headers;
      return fetch(target, init);
    },
    post: async (body) => {
      const { signal } = new AbortController();
      const response = await fetch(url, { method: "POST", headers, body, redirect: "manual", signal });
      const text = await response.text();
      const data = /^data: ?(\{.*)$/m.exec(text)?.[1] ?? text;
      return JSON.parse(data);
    },
  };
}

function http(response: ReplyFormat, edge: "fetch" | "node"): ContractLink {
  return {
    name: `HTTP answered with ${response === "json" ? "JSON" : "event streams"} on the ${edge} edge`,
    tells: response !== "json",
    limitBytes,
    open: async () => {
      const app = createContractServer();
      const options = { response, maxBodyBytes: limitBytes };
      const listener = edge === "node" ? await listen(app, options) : undefined;
      const handler = listener?.handler ?? createHttpHandler(app, options);
      const url = listener?.url ?? "http://localhost/mcp";
      const send: Fetch = (target, init) =>
        listener === undefined ? handler.fetch(new Request(target, init)) : fetch(target, init);
      const session = withSession(send, url);
      return {
        link: createHttpLink(url, { fetch: session.fetch, maxMessageBytes: limitBytes }) as Link<never>,
        post: session.post,
        close: async () => {
          listener?.server.closeAllConnections();
          await listener?.close();
          handler.close();
        },
      };
    },
  };
}

const legacy: ContractLink = {
  name: "HTTP+SSE",
  tells: true,
  limitBytes,
  open: async () => {
    const app = createContractServer();
    const handler = createLegacyHttpHandler((channel) => app.serve(channel), { maxBodyBytes: limitBytes });
    const fetch: Fetch = (target, init) => handler.fetch(new Request(target, init));
    const channel = createLegacyHttpChannel("http://localhost/sse", { fetch, maxMessageBytes: limitBytes });
    return {
      link: toLink(channel),
      close: async () => {
        handler.close();
        await app.close();
      },
    };
  },
};

for (const kind of [
  memory,
  stdio,
  child,
  http("json", "fetch"),
  http("json", "node"),
  http("stream", "fetch"),
  http("stream", "node"),
  legacy,
]) {
  describeLink(kind);
}
