/** Requests that stand for themselves over a link that may fall back: see compatible-link.ts. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { alone, FakeEndpoint, settled } from "../../../test/fixtures/http/fake-endpoint.ts";
import { createCompatibleRig, initialize, OldServer, refusedWith } from "../../../test/fixtures/http/old-server.ts";
import { createDeferred } from "../../base/deferred.ts";
import { ClosedError } from "../../base/error.ts";

describe("a request that stands for itself over a compatible link", () => {
  it("decides nothing by the refusal of a request that stands for itself [M-ERR-011]", async () => {
    for (const status of [400, 404, 405, 410]) {
      const { server, link, verdicts } = await createCompatibleRig({}, refusedWith(status));
      for (const method of ["server/discover", "initialize"]) {
        await assert.rejects(link.request(alone(method)), { code: "MCP_HTTP", status });
      }
      assert.deepEqual(server.log, ["POST server/discover", "POST initialize"]);
      assert.deepEqual([link.transport, verdicts], [undefined, []]);
    }
  });

  it("reaches an old server after a request that stands for itself was refused [M-VER-017]", async () => {
    const { server, link, verdicts } = await createCompatibleRig();
    await assert.rejects(link.request(alone("server/discover")), { code: "MCP_HTTP", status: 405 });
    assert.equal((await link.request(initialize)).protocolVersion, "2024-11-05");
    assert.deepEqual(server.log, ["POST server/discover", "POST initialize", "GET", "POST initialize"]);
    assert.deepEqual(verdicts, ["legacy"]);
    await link.close();
  });

  it("knows the transport once a request that stands for itself has been answered", async () => {
    const endpoint = new FakeEndpoint();
    const { link, verdicts } = await createCompatibleRig({ fetch: endpoint.fetch });
    await link.request(alone("server/discover"));
    await link.request(alone("tools/list"), { headers: { "mcp-param-a": "1" } });
    assert.deepEqual([link.transport, verdicts], ["streamable", ["streamable"]]);
    assert.equal(endpoint.of("tools/list")[0]?.headers["mcp-param-a"], "1");
    endpoint.handlers.initialize = () => new Response(null, { status: 404 });
    await assert.rejects(link.request(initialize), { code: "MCP_HTTP", status: 404 });
    assert.equal(endpoint.of("GET").length, 0);
  });

  it("is not misled by a late answer to a request that stands for itself", async () => {
    const server = new OldServer();
    const late = createDeferred<Response>();
    server.refuse = ({ message }) =>
      message?.method === "server/discover" ? late.promise : Promise.reject(new TypeError("fetch failed"));
    const { link } = await createCompatibleRig({}, server);
    const probe = assert.rejects(link.request(alone("server/discover")), { status: 404 });
    await settled();
    const handshaking = assert.rejects(link.request(initialize), ClosedError);
    late.resolve(new Response(null, { status: 404 }));
    await Promise.all([probe, handshaking]);
    assert.equal(server.received.length, 2);
  });
});
