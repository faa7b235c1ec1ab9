import assert from "node:assert/strict";
import { createServer, request as httpRequest, type IncomingMessage } from "node:http";
import http2 from "node:http2";
import { type AddressInfo, connect as connectTcp } from "node:net";
import { after, describe, it } from "node:test";
import {
  createGate,
  EventReader,
  newest,
  type Script,
  ScriptedServer,
} from "../../../test/fixtures/http/scripted-server.ts";
import { UsageError } from "../../base/error.ts";
import { createHttpHandler } from "../server/handler.ts";
import { createNodeHandler, type HttpListener, type ListenOptions, listen } from "./handler.node.ts";

const listeners: HttpListener[] = [];
after(() => Promise.all(listeners.map((listener) => listener.close())));

const common = { "content-type": "application/json", accept: "application/json, text/event-stream" };

async function start(scripts: { [method: string]: Script } = {}, options: ListenOptions = {}) {
  const server = new ScriptedServer(scripts);
  const listener = await listen(server, options);
  listeners.push(listener);
  const headers: { [name: string]: string } = { ...common };
  const post = (body: unknown, more: { [name: string]: string } = {}): Promise<Response> =>
    fetch(listener.url, {
      method: "POST",
      headers: { ...headers, ...more },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  const call = (method: string, params: unknown = {}, id: unknown = 1): Promise<Response> =>
    post({ jsonrpc: "2.0", id, method, params });
  const response = await call("initialize", { protocolVersion: newest });
  const sessionId = response.headers.get("mcp-session-id");
  if (sessionId !== null) {
    headers["mcp-session-id"] = sessionId;
  }
  await response.text();
  return { server, listener, headers, post, call };
}

/** Sends bytes as they are, and reads until the server closes the connection or has sent `until`. */
function sendRaw(port: number, text: string, until: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = "";
    const socket = connectTcp(port, "127.0.0.1", () => socket.write(text));
    socket.on("data", (chunk) => {
      received += chunk.toString("latin1");
      if (until.test(received)) {
        socket.destroy();
      }
    });
    socket.on("close", () => resolve(received));
    socket.on("error", reject);
  });
}

describe("listen", () => {
  it("listens on loopback by default, at /mcp only [HTTP-004]", async () => {
    const { listener } = await start();
    assert.equal((listener.server.address() as AddressInfo).address, "127.0.0.1");
    assert.equal(listener.url, `http://127.0.0.1:${listener.port}/mcp`);
    const elsewhere = await fetch(listener.url.replace("/mcp", "/other"));
    assert.equal(elsewhere.status, 404);
    assert.match(await elsewhere.text(), /it is at \/mcp/);
  });

  it("explains a port that is taken", async () => {
    const { listener, server } = await start();
    await assert.rejects(listen(server, { port: listener.port }), (error) => {
      assert.ok(error instanceof UsageError);
      assert.match(error.message, /is in use by another program: choose another port/);
      return true;
    });
  });

  it("closes with streams open and requests in progress, and gives both an end [PP-019]", async () => {
    const gate = createGate();
    const { listener, call, headers } = await start({ wait: gate.script });
    const pending = call("wait");
    const exchange = await gate.entered;
    const standing = new EventReader(await fetch(listener.url, { headers }));
    await standing.next();
    const closing = listener.close();
    assert.match(String(exchange.signal.reason), /the server was stopped/);
    assert.deepEqual(await standing.rest(), []);
    assert.ok([200, 503].includes((await pending).status));
    gate.opened.resolve({});
    await closing;
  });
});

describe("createNodeHandler", () => {
  it("answers calls as JSON with a length, and notifications with 202 and no body [HTTP-010] [HTTP-012]", async () => {
    const { call, post } = await start();
    const response = await call("echo", { text: "äöü" });
    assert.equal(response.headers.get("content-length"), "51");
    assert.deepEqual(await response.json(), { jsonrpc: "2.0", id: 1, result: { text: "äöü" } });
    const accepted = await post({ jsonrpc: "2.0", method: "notifications/initialized" });
    assert.deepEqual([accepted.status, accepted.headers.get("content-length"), await accepted.text()], [202, "0", ""]);
  });

  it("streams, resumes a cut stream, and runs the handler once [HTTP-014] [HTTP-023] [HTTP-037]", async () => {
    const gate = createGate();
    const { call, listener, headers, server } = await start({
      work: async (params, exchange) => {
        await exchange.notify({ method: "notifications/progress", params: { progress: 1 } });
        return gate.script(params, exchange);
      },
    });
    const reader = new EventReader(await call("work"));
    const priming = await reader.next();
    assert.equal(priming?.data, "");
    const progress = await reader.next();
    await reader.leave();
    gate.opened.resolve({ done: true });
    const resumed = await fetch(listener.url, { headers: { ...headers, "last-event-id": progress?.id ?? "" } });
    assert.deepEqual(await new EventReader(resumed).rest(), [{ jsonrpc: "2.0", id: 1, result: { done: true } }]);
    assert.equal(server.received.filter(({ method }) => method === "work").length, 1);
  });

  it("shows the head of a stream that has nothing to say yet", async () => {
    const { listener, headers } = await start({}, { resumability: false });
    const response = await fetch(listener.url, { headers });
    assert.equal(response.headers.get("content-type"), "text/event-stream");
    assert.equal(response.headers.get("x-accel-buffering"), "no");
    await response.body?.cancel();
  });

  it("aborts within 100 ms of the client's socket closing where nothing can be resumed [PP-019]", async () => {
    const gate = createGate();
    const { listener, headers } = await start({ wait: gate.script }, { resumability: false });
    const request = httpRequest(listener.url, { method: "POST", headers });
    request.on("error", () => undefined);
    request.end('{"jsonrpc":"2.0","id":1,"method":"wait"}');
    const exchange = await gate.entered;
    const started = Date.now();
    const aborted = new Promise((resolve) => exchange.signal.addEventListener("abort", resolve));
    request.destroy();
    await aborted;
    assert.ok(Date.now() - started < 100);
    assert.match(String(exchange.signal.reason), /client disconnected/);
    gate.opened.resolve({});
  });

  it("delivers the refusal of a body that is too large, announced or not, while the client still sends", async () => {
    const { listener, headers, call } = await start({}, { maxBodyBytes: 10_000 });
    for (let round = 0; round < 10; round += 1) {
      for (const announced of [true, false]) {
        const status = await new Promise<number | undefined>((resolve, reject) => {
          const length = announced ? { "content-length": "5000000" } : {};
          const request = httpRequest(
            listener.url,
            { method: "POST", headers: { ...headers, ...length } },
            (response) => {
              assert.equal(response.headers.connection, "close");
              response.resume();
              resolve(response.statusCode);
            },
          );
          // The rest of the body may find the connection closed; the answer has come by then.
          request.on("error", reject);
          request.write("x".repeat(1_000_000));
        });
        assert.equal(status, 413);
      }
    }
    assert.equal((await call("echo")).status, 200);
  });

  it("takes absolute request targets, whose host counts, and odd ones without failing", async () => {
    const { listener } = await start();
    const body = '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}';
    const head = (target: string, host: string): string =>
      `POST ${target} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`;
    const statusOf = async (target: string, host: string): Promise<string | undefined> =>
      (await sendRaw(listener.port, head(target, host), /\r\n\r\n/)).split(" ")[1];
    assert.equal(await statusOf("http://localhost/mcp", "whatever"), "200");
    assert.equal(await statusOf("http://evil.example/mcp", "localhost"), "403");
    assert.equal(await statusOf("/mcp", "evil.example"), "403");
    assert.equal(await statusOf("/mcp", "lo cal"), "400");
    assert.equal(await statusOf("//evil.example/mcp", "localhost"), "404");
    assert.equal(await statusOf("/mcp?x=//y", "localhost:1"), "200");
  });

  it("takes the body that a parser in front has read", async () => {
    const handle = createNodeHandler(new ScriptedServer(), { sessions: false });
    const server = createServer((request: IncomingMessage & { body?: unknown }, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const text = Buffer.concat(chunks).toString();
        if (request.headers["x-parsed"] !== "no") {
          request.body = JSON.parse(text);
        }
        handle(request, response);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const body = '{"jsonrpc":"2.0","id":1,"method":"echo"}';
    assert.equal((await fetch(url, { method: "POST", headers: common, body })).status, 200);
    assert.equal((await fetch(url, { method: "POST", headers: { ...common, "x-parsed": "no" }, body })).status, 400);
    server.closeAllConnections();
    server.close();
  });

  it("serves HTTP/2 with the same listener, without connection headers", async () => {
    const handler = createHttpHandler(
      new ScriptedServer({
        talk: async (_, exchange) => {
          await exchange.notify({ method: "notifications/progress" });
          return {};
        },
      }),
      { sessions: false, maxBodyBytes: 1_000 },
    );
    const server = http2.createServer(createNodeHandler(handler) as never);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const session = http2.connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const send = (body: string): Promise<{ status: unknown; text: string; connection: unknown }> =>
      new Promise((resolve, reject) => {
        const stream = session.request({ ":method": "POST", ":path": "/mcp", ...common });
        let [status, connection, text]: [unknown, unknown, string] = [undefined, undefined, ""];
        stream.on("response", (headers) => {
          status = headers[":status"];
          connection = headers.connection;
        });
        stream.on("data", (chunk: Buffer) => {
          text += chunk.toString();
        });
        stream.on("end", () => resolve({ status, text, connection }));
        stream.on("error", reject);
        stream.end(body);
      });
    const echo = await send('{"jsonrpc":"2.0","id":1,"method":"echo"}');
    assert.deepEqual([echo.status, echo.connection], [200, undefined]);
    const talk = await send('{"jsonrpc":"2.0","id":1,"method":"talk"}');
    assert.match(talk.text, /notifications\/progress[\s\S]*"id":1,"result"/);
    assert.equal((await send(`"${"x".repeat(2_000)}"`)).status, 413);
    session.close();
    server.close();
  });

  it("survives clients of HTTP/2 that leave in the middle of a stream [PP-020]", async () => {
    const gate = createGate();
    const handler = createHttpHandler(
      new ScriptedServer({
        talk: async (params, exchange) => {
          await exchange.notify({ method: "notifications/progress" });
          const result = await gate.script(params, exchange);
          await exchange.notify({ method: "notifications/progress" });
          return result;
        },
      }),
    );
    const server = http2.createServer(createNodeHandler(handler) as never);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const session = http2.connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const post = (body: string, sessionId?: unknown) => {
      const headers = sessionId === undefined ? {} : { "mcp-session-id": String(sessionId) };
      const stream = session.request({ ":method": "POST", ":path": "/mcp", ...common, ...headers });
      stream.on("error", () => undefined);
      stream.end(body);
      return stream;
    };
    const params = `{"protocolVersion":"${newest}"}`;
    const sessionId = await new Promise<unknown>((resolve) => {
      const stream = post(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":${params}}`);
      stream.on("response", (headers) => resolve(headers["mcp-session-id"]));
      stream.resume();
    });
    const talk = post('{"jsonrpc":"2.0","id":1,"method":"talk"}', sessionId);
    await new Promise((resolve) => talk.once("data", resolve));
    talk.close(http2.constants.NGHTTP2_CANCEL);
    while (handler.stats().streams > 0) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    gate.opened.resolve({});
    while (handler.stats().exchanges > 0) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    const again = await new Promise<unknown>((resolve) => {
      post('{"jsonrpc":"2.0","id":2,"method":"echo"}', sessionId).on("response", (headers) =>
        resolve(headers[":status"]),
      );
    });
    assert.equal(again, 200);
    session.destroy();
    server.close();
  });
});
