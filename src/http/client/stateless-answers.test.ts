/** What comes back for requests that stand for themselves: see stateless.ts. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  alone,
  answer,
  createRig,
  handshake,
  json,
  openAlone,
  settled,
} from "../../../test/fixtures/http/fake-endpoint.ts";
import { ClosedError, HttpError } from "../../base/error.ts";
import { RpcError } from "../../jsonrpc/error.ts";
import { latestStateless } from "../../revision/registry.ts";

const ask = alone("tools/call", { name: "add", arguments: {} });
const listen = alone("subscriptions/listen", { notifications: {} });

describe("answers to requests that stand for themselves", () => {
  it("takes JSON and event streams for answers alike, whatever comments are between [M-HTTP-006] [M-HTTP-010]", async () => {
    const rig = await createRig();
    for (const { method, params } of [ask, listen, alone("tools/list"), alone("server/discover")]) {
      rig.endpoint.handlers[method] = ({ message }) => json(answer(message, { way: "json" }));
      assert.deepEqual(await rig.link.request({ method, params }), { way: "json" });
      const { stream, result, message } = await openAlone(rig, { method, params });
      stream.write(":\r\n: still here\n\n:\n");
      stream.send({ jsonrpc: "2.0", method: "notifications/message", params: {} });
      stream.write(":\n\n");
      stream.send(answer(message, { way: "stream" }));
      stream.write(":\n\n");
      assert.deepEqual(await result, { way: "stream" });
    }
    assert.deepEqual(rig.diagnostics, []);
  });

  it("loses the request with its stream: nothing is resumed or sent again, whatever the server offers [M-HTTP-012] [M-HTTP-013]", async () => {
    for (const [finish, how] of [
      ["end", /^tools\/call: the server ended the stream before the answer came; it was not sent again$/],
      ["break", /^tools\/call: the connection broke before the answer came; it was not sent again: terminated$/],
    ] as const) {
      const rig = await createRig();
      const { stream, result } = await openAlone(rig, ask);
      stream.write("id: 7\nretry: 1\ndata:\n\n");
      stream[finish]();
      await assert.rejects(result, (error: unknown) => error instanceof ClosedError && how.test(error.message));
      await rig.clock.advance(60_000);
      assert.equal(rig.endpoint.received.length, 1);
      rig.endpoint.handlers["tools/call"] = ({ message }) => json(answer(message, {}));
      await rig.link.request(ask);
      const ids = rig.endpoint.of("tools/call").map(({ message }) => message?.id);
      assert.equal(new Set(ids).size, 2);
    }
  });

  it("says what was in the place of the answer: too much of it, or what cannot be read", async () => {
    const rig = await createRig({ maxMessageBytes: 100 });
    const long = await openAlone(rig, ask);
    long.stream.write(`data: ${"x".repeat(200)}\n\n`);
    await assert.rejects(long.result, { code: "MCP_TOO_LARGE", limitBytes: 100 });
    const broken = await openAlone(rig, ask);
    broken.stream.write("data: {nonsense\n\n");
    broken.stream.end();
    await assert.rejects(broken.result, { code: "MCP_CLOSED", message: /expected JSON/ });
  });

  it("drops what the server asks and goes on, without any answer [M-BASE-002]", async () => {
    const rig = await createRig();
    const { stream, result, message } = await openAlone(rig, ask);
    stream.send({ jsonrpc: "2.0", id: "s-1", method: "sampling/createMessage", params: {} });
    stream.send({ jsonrpc: "2.0", id: {}, method: "roots/list" });
    stream.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "s-1" } });
    stream.send(answer(message, { sum: 3 }));
    assert.deepEqual(await result, { sum: 3 });
    await settled();
    assert.equal(rig.endpoint.received.length, 1);
    assert.deepEqual(
      rig.dispatched.map(({ message: { method } }) => method),
      ["notifications/cancelled"],
    );
    assert.deepEqual(
      rig.diagnostics.map(({ code }) => code),
      ["MCP_D_UNEXPECTED_REQUEST", "MCP_D_INVALID_MESSAGE"],
    );
    assert.match(rig.diagnostics[0]?.message ?? "", /"s-1".*sampling\/createMessage/);
  });

  it("gives handlers the revision of the request on whose stream a notification came, and no session", async () => {
    const rig = await createRig();
    await handshake(rig);
    const { stream, result, message } = await openAlone(rig, ask);
    stream.send({ jsonrpc: "2.0", method: "notifications/message", params: {} });
    stream.send(answer(message, {}));
    await result;
    const [{ exchange } = { exchange: undefined }] = rig.dispatched;
    assert.equal(exchange?.context.revision, latestStateless);
    assert.equal(exchange?.context.session, undefined);
    await exchange?.notify(alone("x/note"));
    assert.equal(rig.endpoint.of("x/note").length, 1);
    assert.deepEqual(await exchange?.request(alone("x/ask")), {});
  });

  it("keeps code and data of an error that answers the request, whatever the status: no session is lost [M-ERR-011] [M-ERR-013]", async () => {
    const rig = await createRig();
    const data = { supported: [latestStateless.id], requested: "1900-01-01" };
    for (const [status, code] of [
      [200, -32602],
      [400, -32022],
      [404, -32601],
    ] as const) {
      rig.endpoint.handlers["tools/call"] = ({ message }) =>
        json({ jsonrpc: "2.0", id: message?.id, error: { code, message: "no", data } }, status, {
          "mcp-session-id": "session-9",
        });
      await assert.rejects(rig.link.request(ask), (error: unknown) => {
        assert.ok(error instanceof RpcError);
        assert.deepEqual([error.rpcCode, error.data, error.remote], [code, data, true]);
        return true;
      });
    }
    assert.ok(rig.endpoint.received.every(({ method }) => method === "POST"));
    assert.deepEqual(await rig.link.request(alone("tools/list")), {});
  });

  it("gives codes that earlier implementations made up no meaning [M-ERR-004]", async () => {
    const rig = await createRig();
    for (const code of [-32000, -32001]) {
      rig.endpoint.handlers["tools/call"] = ({ message }) =>
        json({ jsonrpc: "2.0", id: message?.id, error: { code, message: "Session not found" } }, 404);
      await assert.rejects(rig.link.request(ask), { code: "MCP_RPC", rpcCode: code });
    }
    assert.equal(rig.endpoint.received.length, 2);
  });

  it("leaves permission, trouble and a lost connection what they are", async () => {
    const rig = await createRig({ retry: false });
    for (const status of [401, 403, 500, 502, 503]) {
      rig.endpoint.handlers["server/discover"] = () => new Response("no", { status });
      const refused = rig.link.request(alone("server/discover"));
      await assert.rejects(refused, (error: unknown) => error instanceof HttpError && error.status === status);
    }
    rig.endpoint.handlers["server/discover"] = () => Promise.reject(new TypeError("fetch failed"));
    await assert.rejects(rig.link.request(alone("server/discover")), ClosedError);
    assert.deepEqual(
      rig.endpoint.received.map(({ message }) => message?.method),
      Array.from({ length: 6 }, () => "server/discover"),
    );
  });
});
