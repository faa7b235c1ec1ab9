// The lower doors: requests and notifications of one's own in both directions, and a link of one's own.

import assert from "node:assert/strict";
import { MessageChannel, type MessagePort } from "node:worker_threads";
import { ClosedError } from "parley-mcp";
import { defineClient } from "parley-mcp/client";
import type { Channel, ChannelReceiver, JsonRpcMessage } from "parley-mcp/jsonrpc";
import { defineServer, tool } from "parley-mcp/server";

// #region channel
/** A channel over a MessagePort, as between threads or frames. */
class PortChannel implements Channel {
  readonly #port: MessagePort;

  constructor(port: MessagePort) {
    this.#port = port;
  }

  async open(receiver: ChannelReceiver): Promise<void> {
    this.#port.on("message", (value: unknown) => receiver.message(value));
    this.#port.on("messageerror", (error) => receiver.closed(new ClosedError(error.message)));
    this.#port.on("close", () => receiver.closed(undefined));
  }

  send(message: JsonRpcMessage): undefined {
    this.#port.postMessage(message);
    return undefined;
  }

  async close(): Promise<void> {
    this.#port.close();
  }
}
// #endregion

const heard: unknown[] = [];

// #region methods
const app = defineServer({
  name: "custom",
  version: "1.0.0",
  tools: {
    greet: tool({ description: "Asks the client something of its own" }, async (_args, ctx) => {
      const { name } = await ctx.ask("acme/whoAreYou");
      await ctx.notify("notifications/acme/greeted", { name: String(name) });
      return `hello ${String(name)}`;
    }),
  },
  methods: { "acme/version": () => ({ version: 7 }) },
  notifications: {
    "notifications/acme/hint": (params) => {
      heard.push(params);
    },
  },
});

const client = defineClient({
  name: "host",
  version: "1.0.0",
  methods: { "acme/whoAreYou": () => ({ name: "Ada" }) },
});
// #endregion

const { port1, port2 } = new MessageChannel();
const handle = app.serve(new PortChannel(port1));
// Servers ask by requests of their own in the revisions with a handshake only.
const session = await client.connect<typeof app>(new PortChannel(port2), { revision: "2025-11-25" });

// #region raw
assert.deepEqual(await session.request("acme/version"), { version: 7 });
const { tools } = await session.request("tools/list"); // typed by its name
assert.equal(tools[0]?.name, "greet");

session.onNotification("notifications/acme/greeted", (params) => heard.push(params));
await session.notify("notifications/acme/hint", { colour: "blue" });
// #endregion

assert.deepEqual(await session.tools.greet(), [{ type: "text", text: "hello Ada" }]);
assert.deepEqual(heard, [{ colour: "blue" }, { name: "Ada" }]);
await assert.rejects(session.request("acme/unknown"), { rpcCode: -32601 });

await session.close();
await handle.closed;
