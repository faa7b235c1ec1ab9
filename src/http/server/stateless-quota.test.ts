import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { alone, createGate, newest, settle, start, TestClient } from "../../../test/fixtures/http/scripted-server.ts";
import { withEnvelope } from "../../protocol/envelope.ts";
import type { AuthInfo } from "../../protocol/types/auth.ts";
import { defineServer } from "../../server/define.ts";
import type { HttpRequest } from "../message.ts";
import { createHttpHandler } from "./handler.ts";

const authenticate = (request: HttpRequest) => {
  const name = request.header("authorization");
  const auth: AuthInfo | undefined = name === undefined ? undefined : { token: name, clientId: name, scopes: [] };
  return { ok: true, auth } as const;
};

interface Refused {
  readonly id: unknown;
  readonly error: { readonly message: string };
}

describe("requests without a session, many at once", () => {
  it("are refused with 503 and Retry-After above the limit, with their id, and have room when one ends [PP-002]", async () => {
    const gate = createGate();
    const { client, handler } = await start({ wait: gate.script }, { maxConcurrentRequests: 2 });
    const waiting = [client.ask("wait"), client.ask("wait", {}, 2)];
    await gate.entered;
    const refused = await client.ask("echo", {}, "x");
    assert.deepEqual([refused.status, refused.headers.get("retry-after")], [503, "1"]);
    const { id, error } = (await refused.json()) as Refused;
    assert.equal(id, "x");
    assert.match(error.message, /this server already has 2 requests in progress/);
    assert.equal((await client.call("echo")).status, 200, "sessions have limits of their own");
    gate.opened.resolve({});
    assert.deepEqual(
      (await Promise.all(waiting)).map(({ status }) => status),
      [200, 200],
    );
    await settle();
    assert.equal((await client.ask("echo")).status, 200);
    assert.equal(handler.stats().exchanges, 0);
  });

  it("are refused with 429 above the limit of their caller, others are not [PP-002]", async () => {
    const gate = createGate();
    const { client } = await start(
      { wait: gate.script },
      { maxConcurrentRequestsPerCaller: 1, auth: { authenticate } },
    );
    const waiting = client.ask("wait", {}, 1, { authorization: "a" });
    await gate.entered;
    const refused = await client.ask("echo", {}, 5, { authorization: "a" });
    assert.deepEqual([refused.status, refused.headers.get("retry-after")], [429, "1"]);
    assert.match(((await refused.json()) as Refused).error.message, /this caller already has 1 requests/);
    assert.equal((await client.ask("echo", {}, 6, { authorization: "b" })).status, 200);
    assert.deepEqual([(await client.ask("echo")).status, (await client.ask("echo")).status], [200, 200]);
    gate.opened.resolve({});
    await waiting;
    await settle();
    assert.equal((await client.ask("echo", {}, 7, { authorization: "a" })).status, 200);
  });

  it("count also where no client has a session", async () => {
    const gate = createGate();
    const { client } = await start({ wait: gate.script }, { maxConcurrentRequests: 1, sessions: false });
    const waiting = client.call("wait");
    await gate.entered;
    assert.equal((await client.call("echo")).status, 503);
    assert.equal((await client.post({ jsonrpc: "2.0", method: "notifications/x" })).status, 202);
    gate.opened.resolve({});
    assert.equal((await waiting).status, 200);
  });
});

describe("revisions that are narrowed", () => {
  const revisions = [alone, "2025-06-18"];

  it("are what discovery, refusals and the handshake name [M-VER-001] [M-VER-003] [LIFE-014]", async () => {
    const client = new TestClient(createHttpHandler(defineServer({ name: "d", version: "1.0.0" }), { revisions }));
    const discovered = (await (await client.ask("server/discover")).json()) as {
      result: { supportedVersions: string[] };
    };
    assert.deepEqual(discovered.result.supportedVersions, revisions);
    const [method, unknown] = ["tools/list", "1900-01-01"];
    const params = withEnvelope({}, { protocolVersion: unknown, clientCapabilities: {} });
    const headers = { "mcp-protocol-version": unknown, "mcp-method": method };
    const refused = await client.post({ jsonrpc: "2.0", id: 1, method, params }, headers);
    const { error } = (await refused.json()) as { error: { code: number; data: { supported: string[] } } };
    assert.deepEqual([error.code, error.data.supported], [-32022, revisions]);
    const body = { protocolVersion: newest, capabilities: {}, clientInfo: { name: "c", version: "1" } };
    const begun = (await (await client.call("initialize", body)).json()) as { result: { protocolVersion: string } };
    assert.equal(begun.result.protocolVersion, "2025-06-18");
  });
});
