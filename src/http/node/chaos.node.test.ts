import assert from "node:assert/strict";
import { type ClientRequest, request as httpRequest } from "node:http";
import { after, describe, it } from "node:test";
import { MeddledStore } from "../../../test/fixtures/http/scripted-nodes.ts";
import { newest, ScriptedServer } from "../../../test/fixtures/http/scripted-server.ts";
import { createMemoryStore } from "../../store/memory.ts";
import type { HttpServerOptions } from "../server/options.ts";
import { type HttpListener, listen } from "./handler.node.ts";

const calls = 500;

/** Waits for a number of turns of the event loop, which is where a socket may close. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function countConnections(listener: HttpListener): Promise<number> {
  return new Promise((resolve, reject) => {
    listener.server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)));
  });
}

const server = new ScriptedServer({
  work: async ({ depth }, exchange) => {
    for (let step = 0; step < Number(depth); step += 1) {
      await exchange.notify({ method: "notifications/progress", params: { step, text: "x".repeat(5_000) } });
      await turns(1);
    }
    if (Number(depth) % 3 === 0) {
      exchange.closeStream();
      void exchange.request({ method: "roots/list" }, { signal: exchange.signal }).catch(() => undefined);
    }
    if (Number(depth) % 5 === 0) {
      throw new Error("failed on purpose");
    }
    return { big: "y".repeat(20_000) };
  },
});

describe("createNodeHandler, whoever leaves whenever", () => {
  const rejections: unknown[] = [];
  const note = (error: unknown): number => rejections.push(error);
  process.on("unhandledRejection", note);
  process.on("uncaughtException", note);
  after(() => {
    process.off("unhandledRejection", note);
    process.off("uncaughtException", note);
  });

  const slow = new MeddledStore(createMemoryStore());
  slow.before = () => turns(2);
  const modes: { readonly [mode: string]: HttpServerOptions } = {
    "by default": {},
    "without resumability": { resumability: false },
    "as streams": { response: "stream", streamAfterMs: 0 },
    "over a store that takes its time": { store: slow },
    "without sessions": { sessions: false },
  };
  for (const [mode, options] of Object.entries(modes)) {
    it(`survives sockets closed at every point of ${calls} calls, ${mode} [PP-020]`, async () => {
      const listener = await listen(server, options);
      const headers: { [name: string]: string } = {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      };
      const post = (body: string): ClientRequest => {
        const request = httpRequest(listener.url, { method: "POST", headers, agent: false });
        request.on("error", () => undefined);
        request.on("response", (response) => response.on("error", () => undefined).resume());
        request.write(body.slice(0, 10));
        return request;
      };
      const hello = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"${newest}"}}`;
      const reply = await fetch(listener.url, {
        method: "POST",
        headers: { ...headers, connection: "close" },
        body: hello,
      });
      headers["mcp-session-id"] = reply.headers.get("mcp-session-id") ?? "none";
      await reply.text();
      await Promise.all(
        Array.from({ length: calls }, async (_, index) => {
          await turns(index % 40);
          const body = `{"jsonrpc":"2.0","id":1,"method":"work","params":{"depth":${index % 7}}}`;
          const request = post(body);
          await turns(index % 3);
          if (index % 11 !== 0) {
            request.end(body.slice(10));
          }
          await turns(index % 23);
          request.destroy();
        }),
      );
      // What was started is finished by the server, whether anybody listens or not.
      for (let quiet = 0; quiet < 50; ) {
        await turns(1);
        const { exchanges, streams } = listener.handler.stats();
        quiet = exchanges + streams + (await countConnections(listener)) === 0 ? quiet + 1 : 0;
      }
      const alive = await fetch(listener.url, {
        method: "POST",
        headers,
        body: '{"jsonrpc":"2.0","id":2,"method":"echo"}',
      });
      assert.equal(alive.status, 200);
      await alive.text();
      await listener.close();
      assert.deepEqual(rejections, []);
    });
  }
});
