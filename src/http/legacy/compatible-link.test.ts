import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { answer, FakeEndpoint, FakeStream, json, settled } from "../../../test/fixtures/http/fake-endpoint.ts";
import {
  createClient,
  createCompatibleRig,
  initialize,
  OldServer,
  refusedWith,
  streamUrl,
} from "../../../test/fixtures/http/old-server.ts";
import { ClosedError, HttpError, TimeoutError, UsageError } from "../../base/error.ts";
import { RpcError } from "../../jsonrpc/error.ts";
import { AuthorizationRequiredError } from "../../protocol/authorization-errors.ts";
import { latestHandshake } from "../../revision/registry.ts";
import { createCompatibleHttpLink } from "./client.ts";
import type { HttpTransport } from "./compatible-link.ts";

const handshake = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  serverInfo: { name: "new", version: "1" },
};

describe("createCompatibleHttpLink", () => {
  it("stays with Streamable HTTP where initialize works, without any probe [O24-011] [HTTP-053]", async () => {
    const endpoint = new FakeEndpoint();
    endpoint.handlers.initialize = ({ message }) =>
      json(answer(message, handshake), 200, { "mcp-session-id": "session-1" });
    const verdicts: HttpTransport[] = [];
    const link = createCompatibleHttpLink("https://new.test/mcp", {
      fetch: endpoint.fetch,
      onTransport: (transport) => verdicts.push(transport),
    });
    const session = await createClient().connect(link, { revision: latestHandshake.id });
    await settled();
    assert.deepEqual(verdicts, ["streamable"]);
    assert.equal(link.transport, "streamable");
    assert.equal(endpoint.received[0]?.message?.method, "initialize");
    assert.equal(endpoint.of("initialize").length, 1);
    // The one GET is the standing stream, behind the handshake.
    assert.deepEqual(
      endpoint.received.map(({ method, headers }) => `${method} ${headers["mcp-session-id"]}`),
      ["POST undefined", "POST session-1", "GET session-1"],
    );
    await session.close();
  });

  for (const status of [400, 404, 405, 406, 410, 415]) {
    it(`tries HTTP+SSE after ${status}, and uses it for all that follows [HTTP-053] [O24-011] [O0326-015] [O0618-020]`, async () => {
      const server = refusedWith(status);
      const { link, verdicts } = await createCompatibleRig({}, server);
      const session = await createClient().connect(link, { revision: latestHandshake.id });
      const { echo } = await session.request("x/custom", { a: 1 });
      assert.equal((echo as { a?: number }).a, 1);
      assert.deepEqual(server.log, [
        "POST initialize",
        "GET",
        "POST initialize",
        "POST notifications/initialized",
        "POST x/custom",
      ]);
      assert.deepEqual(
        server.received.map(({ url }) => url),
        [streamUrl, streamUrl, ...Array<string>(3).fill("https://old.test/messages?sessionId=1")],
      );
      assert.equal(session.server.revision, "2024-11-05");
      assert.deepEqual(verdicts, ["legacy"]);
      await session.close();
      assert.equal(server.stream.cancelled, true);
    });
  }

  for (const status of [401, 402, 403, 408, 409, 429, 500, 501, 502, 503]) {
    it(`takes ${status} for no sign of an old server [HTTP-053]`, async () => {
      const { server, link } = await createCompatibleRig({ retry: false }, refusedWith(status));
      await assert.rejects(link.request(initialize), (error) => error instanceof HttpError && error.status === status);
      assert.deepEqual(server.log, ["POST initialize"]);
      assert.equal(link.transport, undefined);
    });
  }

  for (const [status, code] of [
    [400, -32020],
    [400, -32021],
    [400, -32022],
    [404, -32601],
  ] as const) {
    it(`takes ${status} with code ${code} for the answer of a newer server [M-VER-017] [M-ERR-011]`, async () => {
      const server = new OldServer();
      server.refuse = ({ message }) =>
        json({ jsonrpc: "2.0", id: message?.id, error: { code, message: "no" } }, status);
      const { link } = await createCompatibleRig({}, server);
      await assert.rejects(link.request(initialize), { code: "MCP_RPC", rpcCode: code });
      assert.deepEqual(server.log, ["POST initialize"]);
    });
  }

  it("takes a lost connection for no sign of an old server [HTTP-053]", async () => {
    const server = new OldServer();
    server.refuse = () => {
      throw new TypeError("fetch failed");
    };
    const { link } = await createCompatibleRig({}, server);
    await assert.rejects(link.request(initialize), ClosedError);
    assert.deepEqual(server.log, ["POST initialize"]);
  });

  it("takes an error that came with status 200 for an answer [HTTP-053]", async () => {
    const server = new OldServer();
    server.refuse = ({ message }) =>
      json({ jsonrpc: "2.0", id: message?.id, error: { code: -32602, message: "unsupported protocol version" } });
    const { link } = await createCompatibleRig({}, server);
    await assert.rejects(link.request(initialize), RpcError);
    assert.deepEqual(server.log, ["POST initialize"]);
  });

  it("lists both attempts with their outcomes where neither works, and can be tried again", async () => {
    const server = refusedWith(404, "no such page");
    const open = server.open;
    server.open = () => new Response("gone away", { status: 410 });
    const { link, verdicts } = await createCompatibleRig({}, server);
    await assert.rejects(link.request(initialize), (error) => {
      assert.ok(error instanceof HttpError);
      assert.equal(error.status, 404);
      assert.match(error.message, /https:\/\/old\.test\/api\/sse/);
      assert.match(error.message, /Streamable HTTP: .*404.*no such page.*HTTP\+SSE: .*410.*gone away/);
      const outcomes = (error.cause as AggregateError).errors;
      assert.deepEqual(
        outcomes.map((outcome) => outcome instanceof HttpError && outcome.status),
        [404, 410],
      );
      return true;
    });
    assert.deepEqual(verdicts, []);
    const { refuse } = server;
    server.refuse = () => Promise.reject(new TypeError("fetch failed"));
    await assert.rejects(link.request(initialize), ClosedError);
    Object.assign(server, { open, refuse });
    assert.equal((await link.request(initialize)).protocolVersion, "2024-11-05");
    await link.close();
  });

  it("keeps the code and data of a refusal that is an RPC error, as it may name revisions", async () => {
    const data = { supported: ["2099-01-01"] };
    const server = new OldServer();
    server.refuse = ({ message }) =>
      json({ jsonrpc: "2.0", id: message?.id, error: { code: -32602, message: "unsupported", data } }, 400);
    server.open = () => new Response(null, { status: 405 });
    const { link } = await createCompatibleRig({}, server);
    await assert.rejects(link.request(initialize), (error) => {
      assert.ok(error instanceof RpcError);
      assert.deepEqual([error.rpcCode, error.data, error.remote], [-32602, data, true]);
      assert.match(error.message, /Streamable HTTP: unsupported; HTTP\+SSE: .*405/);
      return true;
    });
  });

  it("says that permission is missing where the event stream needs it", async () => {
    for (const body of ["who are you?", JSON.stringify({ jsonrpc: "2.0", error: { code: -32000, message: "no" } })]) {
      const server = new OldServer();
      server.open = () => new Response(body, { status: 401 });
      const { link } = await createCompatibleRig({}, server);
      await assert.rejects(link.request(initialize), (error) => error instanceof HttpError && error.status === 401);
    }
    const server = new OldServer();
    const asking = new AuthorizationRequiredError("https://auth.test/", "sign in");
    server.open = () => Promise.reject(asking);
    const { link } = await createCompatibleRig({}, server);
    await assert.rejects(link.request(initialize), (error) => error === asking);
  });

  it("does not mistake an event stream for an old server's that says nothing or something else", async () => {
    const silent = new OldServer();
    silent.announced = undefined;
    const { link, clock } = await createCompatibleRig({ endpointTimeoutMs: 1_000 }, silent);
    const answering = link.request(initialize);
    answering.catch(() => undefined);
    await settled();
    await clock.advance(1_000);
    await assert.rejects(answering, (error) => {
      const [, second] = (error as { cause: AggregateError }).cause.errors;
      return second instanceof TimeoutError;
    });
    const other = new OldServer();
    const stream = new FakeStream();
    stream.send({ jsonrpc: "2.0", method: "notifications/message" });
    other.open = () => stream.response;
    await assert.rejects((await createCompatibleRig({}, other)).link.request(initialize), /begin with endpoint/);
    assert.equal(stream.cancelled, true);
  });

  it("keeps to what it is told about the server [O24-011]", async () => {
    const legacy = await createCompatibleRig({ transport: "legacy" });
    await legacy.link.request(initialize);
    assert.deepEqual(legacy.server.log, ["GET", "POST initialize"]);
    assert.deepEqual(legacy.verdicts, []);
    await legacy.link.close();
    const streamable = await createCompatibleRig({ transport: "streamable" });
    await assert.rejects(
      streamable.link.request(initialize),
      (error) => error instanceof HttpError && error.status === 405,
    );
    assert.deepEqual(streamable.server.log, ["POST initialize"]);
  });

  it("gives up with the caller's reason at each stage, and leaves nothing open", async () => {
    const reason = new Error("changed my mind");
    for (const stage of ["post", "get", "endpoint"]) {
      const server = new OldServer();
      const never = (): Promise<Response> => new Promise(() => undefined);
      if (stage === "post") {
        server.refuse = never;
      } else if (stage === "get") {
        server.open = never;
      } else {
        server.announced = undefined;
      }
      const { link, clock } = await createCompatibleRig({}, server);
      const controller = new AbortController();
      const answering = link.request(initialize, { signal: controller.signal });
      answering.catch(() => undefined);
      await settled();
      controller.abort(reason);
      await assert.rejects(answering, (error) => error === reason);
      await settled();
      assert.equal(server.streams.at(-1)?.cancelled ?? true, true, stage);
      assert.equal(clock.pendingTimers, 0, stage);
    }
  });

  it("ends with the event stream, and with close while it is still finding out [O24-010]", async () => {
    const { server, link } = await createCompatibleRig();
    await link.request(initialize);
    server.stream.break();
    assert.ok((await link.closed) instanceof ClosedError);
    await assert.rejects(link.request({ method: "ping" }), ClosedError);

    const silent = new OldServer();
    silent.announced = undefined;
    const waiting = await createCompatibleRig({}, silent);
    const answering = waiting.link.request(initialize);
    answering.catch(() => undefined);
    await settled();
    await waiting.link.close();
    await assert.rejects(answering, ClosedError);
    assert.equal(await waiting.link.closed, undefined);
    assert.equal(silent.stream.cancelled, true);
    await assert.rejects(waiting.link.request(initialize), ClosedError);
  });

  it("does not send anything before it is started", async () => {
    const server = new OldServer();
    const link = createCompatibleHttpLink(streamUrl, { fetch: server.fetch, transport: "legacy" });
    await assert.rejects(link.request(initialize), UsageError);
    assert.deepEqual(server.received, []);
  });
});
