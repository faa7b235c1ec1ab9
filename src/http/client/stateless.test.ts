import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  alone,
  answer,
  createRig,
  handshake,
  json,
  openAlone,
  type Received,
  settled,
} from "../../../test/fixtures/http/fake-endpoint.ts";
import { ClosedError, UsageError } from "../../base/error.ts";
import { withEnvelope } from "../../protocol/envelope.ts";
import { latestStateless } from "../../revision/registry.ts";

const ask = alone("tools/call", { name: "add", arguments: {} });
const listen = alone("subscriptions/listen", { notifications: { toolsListChanged: true } });

const headersOf = ({ headers }: Received): (string | undefined)[] => [
  headers["mcp-protocol-version"],
  headers["mcp-method"],
  headers["mcp-name"],
];

describe("StatelessCalls", () => {
  it("says in headers what the body says, on the first POST and on all others [M-HTTP-001] [M-HTTP-016] [M-HDR-001] [M-HDR-002]", async () => {
    const rig = await createRig();
    const calls = [
      alone("server/discover"),
      alone("tools/list"),
      ask,
      alone("prompts/get", { name: "greet" }),
      alone("resources/read", { uri: "file:///a b" }),
      alone("x/custom", { name: "no name of this kind" }),
    ];
    for (const call of calls) {
      await rig.link.request(call);
    }
    await rig.link.notify(alone("x/note"));
    assert.ok(rig.endpoint.received.every(({ method, message }) => method === "POST" && message !== undefined));
    const { id } = latestStateless;
    assert.deepEqual(rig.endpoint.received.map(headersOf), [
      [id, "server/discover", undefined],
      [id, "tools/list", undefined],
      [id, "tools/call", "add"],
      [id, "prompts/get", "greet"],
      [id, "resources/read", "file:///a b"],
      [id, "x/custom", undefined],
      [id, "x/note", undefined],
    ]);
    assert.deepEqual(
      rig.endpoint.received.map(({ message }) => message?.params),
      [...calls, alone("x/note")].map(({ params }) => params),
    );
  });

  it("encodes a name that a header cannot carry, and refuses one that none can carry [M-HDR-006]", async () => {
    const rig = await createRig();
    await rig.link.request(alone("tools/call", { name: "世界\r\nX: y" }));
    assert.equal(rig.endpoint.received[0]?.headers["mcp-name"], "=?base64?5LiW55WMDQpYOiB5?=");
    await assert.rejects(rig.link.request(alone("tools/call", { name: "\ud800" })), (error: unknown) => {
      assert.ok(error instanceof UsageError);
      assert.match(error.message, /^tools\/call: cannot be sent over HTTP: params\.name: .*surrogate/);
      return true;
    });
    const broken = withEnvelope({}, { protocolVersion: "1\r\nx: y", clientCapabilities: {} });
    await assert.rejects(rig.link.request({ method: "tools/list", params: broken }), UsageError);
    assert.equal(rig.endpoint.received.length, 1);
  });

  it("sends the caller's headers along, also an empty one, but not in the place of its own", async () => {
    const rig = await createRig();
    const headers = { "Mcp-Param-Region": "us-west1", "mcp-param-empty": "", "MCP-Method": "tools/list" };
    await rig.link.request(ask, { headers });
    await handshake(rig);
    await rig.link.request({ method: "tools/call" }, { headers: { "x-a": "1", "Mcp-Session-Id": "forged" } });
    const [first, last] = rig.endpoint.of("tools/call").map((received) => received.headers);
    assert.equal(first?.["mcp-param-region"], "us-west1");
    assert.equal(first?.["mcp-param-empty"], "");
    assert.equal(first?.["mcp-method"], "tools/call");
    assert.deepEqual([last?.["x-a"], last?.["mcp-session-id"]], ["1", "session-1"]);
    await assert.rejects(rig.link.request(ask, { headers: { "x-a": "a\nb" } }), UsageError);
  });

  it("knows no session, not even one that the server names or that a handshake made: no id, no GET, no DELETE [M-HTTP-015]", async () => {
    const rig = await createRig({ headers: { "Mcp-Session-Id": "forged", "Last-Event-ID": "9" } });
    for (const method of ["initialize", "server/discover", "tools/call"]) {
      rig.endpoint.handlers[method] = ({ message }) =>
        json(answer(message, { protocolVersion: "2025-11-25" }), 200, { "mcp-session-id": "session-9" });
      await rig.link.request(alone(method));
    }
    await rig.link.notify(alone("notifications/initialized"));
    await settled();
    assert.equal(rig.link.describe().session, false);
    await rig.link.close();
    assert.deepEqual(
      rig.endpoint.received.map(({ method, headers }) => [method, headers["mcp-session-id"], headers["last-event-id"]]),
      Array.from({ length: 4 }, () => ["POST", undefined, undefined]),
    );

    const both = await createRig();
    await handshake(both);
    await both.link.request(ask);
    assert.equal(both.endpoint.of("tools/call")[0]?.headers["mcp-session-id"], undefined);
  });

  it("goes on while sessions end and begin, and ends none itself", async () => {
    const rig = await createRig();
    await handshake(rig);
    const { stream, result, message } = await openAlone(rig, ask);
    rig.endpoint.handlers.old = () => new Response(null, { status: 404 });
    await assert.rejects(rig.link.request({ method: "old" }), { code: "MCP_SESSION_EXPIRED" });
    assert.deepEqual(await rig.link.request(alone("tools/list")), {});
    await handshake(rig);
    rig.endpoint.handlers["server/discover"] = () => new Response(null, { status: 404 });
    await assert.rejects(rig.link.request(alone("server/discover")), { code: "MCP_HTTP", status: 404 });
    assert.deepEqual(await rig.link.request({ method: "ping" }), {});
    stream.send(answer(message, { sum: 3 }));
    assert.deepEqual(await result, { sum: 3 });
  });

  it("cancels by letting go of the connection, and POSTs nothing [M-HTTP-004] [M-CANCEL-005]", async () => {
    const rig = await createRig();
    const reason = new Error("enough");
    const streaming = new AbortController();
    const { stream, result } = await openAlone(rig, ask, { signal: streaming.signal });
    streaming.abort(reason);
    await assert.rejects(result, reason);
    assert.equal(stream.cancelled, true);

    const waiting = new AbortController();
    rig.endpoint.handlers["tools/list"] = () => new Promise(() => undefined);
    const pending = assert.rejects(rig.link.request(alone("tools/list"), { signal: waiting.signal }), reason);
    await settled();
    waiting.abort(reason);
    await pending;
    assert.equal(rig.endpoint.of("tools/list")[0]?.signal.aborted, true);
    await settled();
    assert.equal(rig.endpoint.received.length, 2);
    assert.equal(rig.clock.pendingTimers, 0);
  });

  it("keeps a subscription's stream for as long as the server does, and tells its end from its loss [M-SUB-015]", async () => {
    const rig = await createRig();
    const heard: string[] = [];
    const options = { onRelated: ({ method }: { method: string }) => void heard.push(method) };
    const graceful = await openAlone(rig, listen, options);
    const lost = await openAlone(rig, listen, options);
    for (const { stream } of [graceful, lost]) {
      stream.send({ jsonrpc: "2.0", method: "notifications/subscriptions/acknowledged", params: {} });
    }
    await rig.clock.advance(86_400_000);
    graceful.stream.send({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
    graceful.stream.send(answer(graceful.message, { resultType: "complete" }));
    graceful.stream.end();
    lost.stream.break();
    assert.deepEqual(await graceful.result, { resultType: "complete" });
    await assert.rejects(lost.result, ClosedError);
    assert.deepEqual(heard, [
      "notifications/subscriptions/acknowledged",
      "notifications/subscriptions/acknowledged",
      "notifications/tools/list_changed",
    ]);
    assert.deepEqual(rig.dispatched, []);
    await settled();
    assert.equal(rig.clock.pendingTimers, 0);
  });

  it("never has two requests under way with one id [M-BASE-003]", async () => {
    const rig = await createRig();
    rig.endpoint.handlers["tools/call"] = () => new Promise(() => undefined);
    const calls = Array.from({ length: 1_000 }, () => assert.rejects(rig.link.request(ask), ClosedError));
    await settled();
    assert.equal(new Set(rig.endpoint.received.map(({ message }) => message?.id)).size, 1_000);
    await rig.link.close();
    await Promise.all(calls);
  });

  it("ends with the link, and does not begin before its start", async () => {
    const rig = await createRig();
    const { stream, result } = await openAlone(rig, listen);
    await rig.link.close();
    await assert.rejects(result, ClosedError);
    assert.equal(stream.cancelled, true);
    await assert.rejects(rig.link.request(ask), ClosedError);
    await assert.rejects(rig.link.notify(alone("x/note")), ClosedError);
    assert.equal(rig.endpoint.received.length, 1);
  });
});
