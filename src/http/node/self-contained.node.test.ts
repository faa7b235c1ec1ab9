import assert from "node:assert/strict";
import { Agent, request as httpRequest, type IncomingMessage } from "node:http";
import { after, describe, it } from "node:test";
import {
  alone,
  createGate,
  EventReader,
  type Script,
  ScriptedServer,
} from "../../../test/fixtures/http/scripted-server.ts";
import { withEnvelope } from "../../protocol/envelope.ts";
import { toStandardHeaders } from "../standard-headers.ts";
import { type HttpListener, type ListenOptions, listen } from "./handler.node.ts";

const listeners: HttpListener[] = [];
after(() => Promise.all(listeners.map((listener) => listener.close())));

const listenMethod = "subscriptions/listen";

function compose(method: string): { readonly headers: { [name: string]: string }; readonly body: string } {
  const params = withEnvelope({}, { protocolVersion: alone, clientCapabilities: {} });
  const standard = toStandardHeaders(method, params);
  assert.ok(standard.ok);
  return {
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...standard.headers,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  };
}

async function start(scripts: { [method: string]: Script } = {}, options: ListenOptions = {}) {
  const listener = await listen(new ScriptedServer(scripts), options);
  listeners.push(listener);
  const call = (method: string, signal?: AbortSignal): Promise<Response> =>
    fetch(listener.url, { method: "POST", ...compose(method), ...(signal && { signal }) });
  return { listener, call };
}

/** Resolves when a signal aborts, which a test must not miss because it did before. */
function aborted(signal: AbortSignal): Promise<unknown> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve(signal.reason);
    } else {
      signal.addEventListener("abort", () => resolve(signal.reason), { once: true });
    }
  });
}

describe("listen, of messages that say everything about themselves", () => {
  for (const response of ["json", "stream"] as const) {
    it(`takes a connection that drops for a call that is given up, with ${response} replies [M-HTTP-011]`, async () => {
      const gate = createGate();
      const { listener, call } = await start({ wait: gate.script }, { response });
      const controller = new AbortController();
      const pending = call("wait", controller.signal).catch(() => undefined);
      const { signal } = await gate.entered;
      if (response === "stream") {
        assert.equal((await pending)?.headers.get("x-accel-buffering"), "no");
      }
      controller.abort();
      assert.match(String(await aborted(signal)), /ClosedError: the client disconnected/);
      await pending;
      gate.opened.resolve({});
      assert.equal((await call("echo")).status, 200);
      assert.equal(listener.handler.stats().exchanges, 0);
    });
  }

  it("ends a subscription when its connection drops [M-SUB-011]", async () => {
    const gate = createGate();
    const { call } = await start({ [listenMethod]: gate.script });
    const controller = new AbortController();
    const response = await call(listenMethod, controller.signal);
    assert.equal(response.headers.get("content-type"), "text/event-stream", "before the first message");
    const { signal } = await gate.entered;
    controller.abort();
    assert.match(String(await aborted(signal)), /the client ended the subscription/);
    gate.opened.resolve({});
  });

  it("sends the result of each subscription before it stops [M-SUB-012]", async () => {
    const { listener, call } = await start({
      [listenMethod]: async (_, exchange) => {
        await exchange.notify({ method: "notifications/subscriptions/acknowledged" });
        await aborted(exchange.signal);
        return { resultType: "complete" };
      },
    });
    const reader = new EventReader(await call(listenMethod));
    await reader.next();
    const closed = listener.close();
    assert.deepEqual(await reader.rest(), [{ jsonrpc: "2.0", id: 1, result: { resultType: "complete" } }]);
    await closed;
  });

  it("asks who calls on every request of one connection [M-BASE-012]", async () => {
    const { listener } = await start(
      {},
      {
        auth: {
          authenticate: (request) =>
            request.header("authorization") === "Bearer good"
              ? { ok: true, auth: { token: "good", clientId: "a", scopes: [] } }
              : { ok: false, reply: { kind: "text", status: 401, headers: {}, body: "" } },
        },
      },
    );
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const { headers, body } = compose("echo");
    const send = (authorization: string | undefined): Promise<[number | undefined, boolean]> =>
      new Promise((resolve, reject) => {
        const extra = authorization === undefined ? {} : { authorization };
        const sent = httpRequest(listener.url, { method: "POST", agent, headers: { ...headers, ...extra } });
        sent.on("error", reject).on("response", (response: IncomingMessage) => {
          response.resume().on("end", () => resolve([response.statusCode, sent.reusedSocket]));
        });
        sent.end(body);
      });
    assert.deepEqual(await send("Bearer good"), [200, false]);
    assert.deepEqual(await send(undefined), [401, true]);
    agent.destroy();
  });
});
