import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { settled } from "../../../test/fixtures/http/fake-endpoint.ts";
import { createClient, OldServer, Recorder, streamUrl } from "../../../test/fixtures/http/old-server.ts";
import { ClosedError, UsageError } from "../../base/error.ts";
import { latestHandshake } from "../../revision/registry.ts";
import { createLegacyHttpChannel } from "./client.ts";

describe("createLegacyHttpChannel", () => {
  it("ends with a lost stream: what waits fails, and a new channel starts anew [O24-010]", async () => {
    for (const lose of ["end", "break"] as const) {
      const server = new OldServer();
      const client = createClient();
      const open = () =>
        client.connect(createLegacyHttpChannel(streamUrl, { fetch: server.fetch }), { revision: latestHandshake.id });
      const session = await open();
      server.accept = () => new Response(null, { status: 202 });
      const waiting = session.request("tools/list", {});
      await settled();
      server.stream[lose]();
      await assert.rejects(waiting, ClosedError);
      assert.ok((await session.closed) instanceof ClosedError);
      await assert.rejects(session.request("tools/list", {}), ClosedError);

      server.accept = (received) => server.answer(received);
      server.announced = "/messages?sessionId=2";
      const again = await open();
      const last = server.received.slice(-3);
      assert.deepEqual(
        last.map(({ method, message }) => `${method} ${message?.method ?? ""}`),
        ["GET ", "POST initialize", "POST notifications/initialized"],
      );
      assert.equal(last.at(-1)?.url, "https://old.test/messages?sessionId=2");
      assert.equal(last[0]?.headers["last-event-id"], undefined);
      await again.close();
    }
  });

  it("sends none of the headers of Streamable HTTP, and no DELETE [O24-013]", async () => {
    const server = new OldServer();
    const open = server.open;
    server.open = async () => {
      const response = await open();
      response.headers.set("mcp-session-id", "not-to-be-used");
      return response;
    };
    const session = await createClient().connect(createLegacyHttpChannel(streamUrl, { fetch: server.fetch }));
    server.stream.write("id: 5\nevent: message\ndata: {}\n\n");
    await session.request("tools/list", {}).catch(() => undefined);
    await session.close();
    assert.ok(server.received.length >= 4);
    for (const { method, headers } of server.received) {
      assert.match(method, /^(GET|POST)$/);
      for (const name of ["mcp-session-id", "mcp-protocol-version", "last-event-id"]) {
        assert.equal(headers[name], undefined);
      }
    }
  });

  it("sends the configured headers on the GET and on each POST, and what a fetch adds to each [O24-025]", async () => {
    const seen: string[] = [];
    const server = new OldServer();
    const channel = createLegacyHttpChannel(streamUrl, {
      headers: { authorization: "Bearer one", "x-tenant": "blue" },
      fetch: (url, init) => {
        seen.push(`${init.method} ${init.headers.authorization} ${init.headers["x-tenant"]}`);
        return server.fetch(url, { ...init, headers: { ...init.headers, authorization: "Bearer two" } });
      },
    });
    await channel.open(new Recorder());
    await channel.send({ jsonrpc: "2.0", id: 1, method: "ping" });
    await channel.send({ jsonrpc: "2.0", method: "notifications/progress" });
    assert.deepEqual(seen, ["GET Bearer one blue", "POST Bearer one blue", "POST Bearer one blue"]);
    assert.deepEqual(
      server.received.map(({ headers }) => headers.authorization),
      ["Bearer two", "Bearer two", "Bearer two"],
    );
  });

  it("refuses a URL and options that cannot work", () => {
    assert.throws(() => createLegacyHttpChannel("ftp://old.test/"), UsageError);
    assert.throws(() => createLegacyHttpChannel(streamUrl, { endpointTimeoutMs: 0 }), UsageError);
    assert.throws(() => createLegacyHttpChannel(streamUrl, { headers: { "no good": "x" } }), UsageError);
  });
});
