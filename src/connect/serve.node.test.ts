import assert from "node:assert/strict";
import { once } from "node:events";
import { Agent, request } from "node:http";
import { connect as connectTcp } from "node:net";
import { PassThrough } from "node:stream";
import { describe, it } from "node:test";
import { handshake } from "../../test/fixtures/programs.ts";
import { createDeferred } from "../base/deferred.ts";
import { UsageError } from "../base/error.ts";
import { defineServer } from "../server/define.ts";
import { prompt } from "../server/features/prompt.ts";
import { tool } from "../server/features/tool.ts";
import { connect } from "./connect.ts";
import { type ServeOptions, serve } from "./serve.node.ts";

/** A server with a tool that waits until it is let go, whatever its signal says. */
function createApp() {
  const [entered, gate] = [createDeferred(), createDeferred()];
  let aborted = false;
  const wait = tool({}, async (_args, { signal }) => {
    signal.addEventListener("abort", () => {
      aborted = true;
    });
    entered.resolve();
    await gate.promise;
    return "done";
  });
  const app = defineServer({ name: "demo", version: "1.0.0", tools: { wait } });
  return { app, entered: entered.promise, letGo: () => gate.resolve(), aborted: () => aborted };
}

/** Serves in this process, which goes on afterwards. */
async function start(options: ServeOptions) {
  const made = createApp();
  const printed: string[] = [];
  const print = (line: string): void => void printed.push(line);
  const served = await serve(made.app, { ownsProcess: false, print, ...options });
  return { ...made, served, printed };
}

async function startStdio(options: ServeOptions = {}) {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const started = await start({ stdio: { stdin, stdout, stderr }, ...options });
  const lines = stdout.setEncoding("utf8").iterator() as AsyncIterator<string>;
  const send = (...messages: readonly object[]): void => {
    stdin.write(messages.map((message) => `${JSON.stringify(message)}\n`).join(""));
  };
  const receive = async (): Promise<unknown> => JSON.parse((await lines.next()).value);
  send(...handshake);
  await receive();
  return { ...started, stdin, stdout, send, receive };
}

/** Asks what the server can do, on a connection of this agent; gives the status and what becomes of the connection. */
function discover(url = "", agent?: Agent): Promise<[number | undefined, string | undefined]> {
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": "server/discover",
  };
  const params = {
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
    },
  };
  return new Promise((resolve, reject) => {
    const asked = request(url, { method: "POST", headers, agent }, (response) => {
      response.resume().once("end", () => {
        // The agent takes the connection back a moment later.
        setImmediate(resolve, [response.statusCode, response.headers.connection]);
      });
    });
    asked.once("error", reject);
    asked.end(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "server/discover", params }));
  });
}

/** Opens a connection of its own, which none in stock can stand for. */
async function knock(url: string | undefined): Promise<void> {
  const socket = connectTcp(Number(new URL(url ?? "").port), "127.0.0.1");
  await once(socket, "connect");
  socket.destroy();
}

const callWait = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "wait", arguments: {} } };

describe("serve over HTTP", () => {
  it("says where it serves, in its answer and in one line", async () => {
    const { served, printed } = await start({ http: { port: 0 } });
    assert.match(served.url ?? "", /^http:\/\/127\.0\.0\.1:\d+\/mcp$/);
    assert.equal(printed.length, 1);
    assert.ok(printed[0]?.startsWith(`demo 1.0.0 · ${served.url} · 1 tool (wait) · speaks `));
    await served.close();
    await served.closed;
  });

  it("lets a call in progress end while it refuses new connections, and then stops", async () => {
    const { served, printed, entered, letGo, aborted } = await start({ http: { port: 0 } });
    const session = await connect(served.url ?? "");
    const call = session.callTool("wait");
    await entered;
    const closing = served.close();
    await assert.rejects(knock(served.url), { code: "ECONNREFUSED" });
    assert.match(printed[1] ?? "", /^stopping: 1 call in progress may take 10000 ms more$/);
    letGo();
    assert.deepEqual((await call).content, [{ type: "text", text: "done" }]);
    await closing;
    await served.closed;
    assert.equal(aborted(), false);
    assert.equal(printed.length, 2);
    await session.close();
  });

  it("serves what still comes on a connection that was kept alive while it stops, and then closes that too", async () => {
    const { served, entered, letGo } = await start({ http: { port: 0 } });
    const session = await connect(served.url ?? "");
    const call = session.callTool("wait");
    await entered;
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    assert.deepEqual(await discover(served.url, agent), [200, "keep-alive"]);
    const closing = served.close();
    assert.deepEqual(await discover(served.url, agent), [200, "close"]);
    await assert.rejects(discover(served.url, agent), { code: "ECONNREFUSED" });
    letGo();
    await Promise.all([call, closing, served.closed]);
    await session.close();
  });

  it("cuts what takes longer than drainTimeoutMs, and says so", async () => {
    const { served, printed, entered, letGo, aborted } = await start({ http: { port: 0 }, drainTimeoutMs: 30 });
    const session = await connect(served.url ?? "");
    const call = assert.rejects(session.callTool("wait"));
    await entered;
    await Promise.all([served.close(), served.close()]);
    await served.closed;
    assert.equal(aborted(), true);
    assert.deepEqual(printed.slice(1), [
      "stopping: 1 call in progress may take 30 ms more",
      "stopped after 30 ms with 1 call still in progress",
    ]);
    await session.close();
    await call;
    letGo();
  });

  it("stops when its signal aborts, and does not start under an aborted one", async () => {
    const controller = new AbortController();
    const { served } = await start({ http: { port: 0 }, signal: controller.signal });
    controller.abort();
    await served.closed;
    await assert.rejects(fetch(served.url ?? ""));
    await assert.rejects(start({ http: { port: 0 }, signal: AbortSignal.abort(new Error("no")) }), /no/);
  });

  it("names the port that is taken, and one that is none", async () => {
    const { served } = await start({ http: { port: 0 } });
    const port = Number(new URL(served.url ?? "").port);
    await assert.rejects(start({ http: { port } }), (error) => {
      assert.ok(error instanceof UsageError);
      assert.match(error.message, new RegExp(`port ${port} on 127.0.0.1 is in use .*: choose another port, or 0`));
      return true;
    });
    for (const bad of [-1, 70_000, 1.5, Number.NaN, "abc"]) {
      await assert.rejects(start({ http: { port: bad as number } }), (error) => {
        assert.ok(error instanceof UsageError);
        assert.match(error.message, new RegExp(`port: expected a whole number from 0 to 65535, got ${bad}$`));
        return true;
      });
    }
    await served.close();
  });
});

describe("serve over stdio", () => {
  it("ends when the input ends, and aborts what is in progress [PP-022]", async () => {
    const { served, entered, aborted, letGo, send, stdin, printed } = await startStdio();
    assert.equal(served.url, undefined);
    assert.match(printed[0] ?? "", /^demo 1\.0\.0 · stdio · /);
    send(callWait);
    await entered;
    stdin.end();
    await served.closed;
    assert.equal(aborted(), true);
    letGo();
  });

  it("lets a call in progress end and refuses new ones while it stops", async () => {
    const { served, entered, letGo, send, receive, aborted } = await startStdio();
    send(callWait);
    await entered;
    const closing = served.close();
    send({ jsonrpc: "2.0", id: 2, method: "tools/list" });
    assert.deepEqual(await receive(), {
      jsonrpc: "2.0",
      id: 2,
      error: { code: -32603, message: "this server is shutting down; try again later" },
    });
    letGo();
    assert.match(JSON.stringify(await receive()), /"id":1,"result":.*done/);
    await closing;
    await served.closed;
    assert.equal(aborted(), false);
  });

  it("prints what a handler threw, with its place, where the author does not listen", async () => {
    const app = defineServer({
      name: "demo",
      version: "1.0.0",
      prompts: {
        broken: prompt({}, () => {
          throw new Error("no paper");
        }),
      },
    });
    const printed: string[] = [];
    const [stdin, stdout] = [new PassThrough(), new PassThrough()];
    const served = await serve(app, {
      stdio: { stdin, stdout },
      ownsProcess: false,
      print: (line) => printed.push(line),
    });
    const answered = once(stdout, "data");
    const hello = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "c", version: "1" } };
    for (const [id, method, params] of [
      [1, "initialize", hello],
      [2, "prompts/get", { name: "broken" }],
    ]) {
      stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    }
    await answered;
    stdin.end();
    await served.closed;
    assert.match(printed.join("\n"), /MCP_D_HANDLER_FAULT.*\nError: no paper\n\s+at .*serve\.node\.test/);
  });

  it("does not wait for calls whose client is gone while it stops [PP-022]", async () => {
    const { served, entered, letGo, send, stdin } = await startStdio({ drainTimeoutMs: 60_000 });
    send(callWait);
    await entered;
    const closing = served.close();
    stdin.end();
    await Promise.all([closing, served.closed]);
    letGo();
  });

  it("says what was kept off the wire, with the place that printed it [STDIO-005]", async () => {
    const { served, printed, stdin, stdout } = await startStdio();
    stdout.write("stray\n");
    assert.match(printed[1] ?? "", /^MCP_D_STDOUT_GUARDED: .*"stray" \(.*serve\.node\.test\.ts:\d+\).*use ctx\.log/);
    stdin.end();
    await served.closed;
  });
});

describe("serve", () => {
  it("refuses options that contradict each other or make no sense", async () => {
    await assert.rejects(start({ http: { port: 0 }, stdio: {} }), /expected one of http and stdio, got both/);
    for (const drainTimeoutMs of [-1, Number.NaN]) {
      await assert.rejects(start({ http: { port: 0 }, drainTimeoutMs }), /drainTimeoutMs: expected a number from 0/);
    }
  });

  it("takes no signal of a process that it does not own", async () => {
    const before = process.listenerCount("SIGTERM");
    const { served } = await start({ http: { port: 0 } });
    assert.equal(process.listenerCount("SIGTERM"), before);
    await served.close();
  });
});
