import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createDeferred } from "../base/deferred.ts";
import { HttpError, PeerError, TimeoutError, UsageError } from "../base/error.ts";
import { Client } from "../client/client.ts";
import type { Fetch } from "../http/client/options.ts";
import { createHttpHandler } from "../http/server/handler.ts";
import { Peer } from "../jsonrpc/peer.ts";
import { createMemoryPair } from "../memory/pair.ts";
import { mcpCancellation } from "../protocol/cancellation.ts";
import type { McpContext } from "../revision/exchange.ts";
import { latestHandshake } from "../revision/registry.ts";
import { defineServer } from "../server/define.ts";
import { tool } from "../server/features/tool.ts";
import { createFakeClock } from "../test/clock.ts";
import { connect } from "./connect.ts";

const url = "http://localhost/mcp";

function createApp() {
  return defineServer({ name: "demo", version: "1.0.0", tools: { hello: tool({}, () => "hi") } });
}

function overHttp(app: ReturnType<typeof createApp>): Fetch {
  const handler = createHttpHandler(app);
  return (target, init) => handler.fetch(new Request(target, init));
}

function answering(status: number, body: string, type = "text/html"): Fetch {
  return async () => new Response(body, { status, headers: { "content-type": type } });
}

/** A fetch that gives no answer, and tells when it was called and when it was given up. */
function createSilence() {
  const [called, givenUp] = [createDeferred(), createDeferred()];
  let calls = 0;
  const fetch: Fetch = (_target, { signal }) => {
    calls += 1;
    called.resolve();
    return new Promise((_resolve, reject) => {
      signal.addEventListener("abort", () => {
        givenUp.resolve();
        reject(signal.reason);
      });
    });
  };
  return { fetch, called: called.promise, givenUp: givenUp.promise, calls: () => calls };
}

describe("connect", () => {
  it("takes a URL as text or object, a definition, a channel and a link", async () => {
    const app = createApp();
    const fetch = overHttp(app);
    const [near, far] = createMemoryPair();
    const [nearOfLink, farOfLink] = createMemoryPair();
    app.serve(far);
    app.serve(farOfLink);
    const link = new Peer<McpContext>(nearOfLink, {
      createContext: () => ({ revision: latestHandshake, session: undefined, auth: undefined, http: undefined }),
      cancellation: mcpCancellation,
    });
    const sessions = [
      await connect(url, { http: { fetch } }),
      await connect(new URL(url), { http: { fetch } }),
      await connect(app),
      await connect(near),
      await connect(link),
    ];
    for (const session of sessions) {
      assert.deepEqual((await session.callTool("hello")).content, [{ type: "text", text: "hi" }]);
      await session.close();
    }
    await link.closed;
  });

  it("offers the tools of a definition with their types", async () => {
    const app = createApp();
    const session = await connect(app);
    assert.deepEqual(await session.tools.hello({}), [{ type: "text", text: "hi" }]);
    await session.close();
    assert.equal(app.sessions.size, 0);
  });

  it("connects as the given client, or as one of its own", async () => {
    const app = createApp();
    const names: (string | undefined)[] = [];
    for (const client of [undefined, { name: "host", version: "2" }, new Client({ name: "other", version: "3" })]) {
      const session = await connect(app, { client, revision: latestHandshake.id });
      names.push(...[...app.sessions].map(({ clientInfo }) => clientInfo?.name));
      await session.close();
    }
    assert.deepEqual(names, ["parley", "host", "other"]);
  });

  it("says what it takes where it gets something else", async () => {
    const cases: readonly (readonly [unknown, RegExp])[] = [
      [
        "localhost:3000/mcp",
        /beginning with https: or http:, got "localhost:3000\/mcp": write http:\/\/localhost:3000\/mcp/,
      ],
      ["example.com/mcp", /write https:\/\/example\.com\/mcp/],
      ["ws://example.com", /got "ws:\/\/example\.com"/],
      ["npx some-server", /commands and files are taken by parley-mcp\/connect\/node/],
      [{ command: "npx" }, /a command: those are taken by parley-mcp\/connect\/node/],
      [{ url }, /an object with a url: give the URL itself/],
      [{ open: 1 }, /an object that is none of these/],
      [undefined, /got undefined/],
      [null, /got null/],
      [3000, /got number/],
    ];
    for (const [target, pattern] of cases) {
      await assert.rejects(connect(target as string), (error) => {
        assert.ok(error instanceof UsageError);
        assert.match(error.message, pattern);
        return true;
      });
    }
  });

  it("sends nothing and opens nothing under a signal that is aborted already [PP-038]", async () => {
    const app = createApp();
    const silence = createSilence();
    const signal = AbortSignal.abort(new Error("not now"));
    await assert.rejects(connect(url, { signal, http: { fetch: silence.fetch } }), /not now/);
    await assert.rejects(connect(app, { signal }), /not now/);
    assert.equal(silence.calls(), 0);
    assert.equal(app.sessions.size, 0);
  });

  it("opens nothing for options that cannot work [PP-038]", async () => {
    const app = createApp();
    await assert.rejects(connect(app, { revision: "1999-01-01" }), UsageError);
    assert.equal(app.sessions.size, 0);
  });

  it("gives up with the caller's reason while it waits, and lets go of the request [PP-038]", async () => {
    const silence = createSilence();
    const controller = new AbortController();
    const connecting = connect(url, { signal: controller.signal, http: { fetch: silence.fetch } });
    await silence.called;
    const reason = new Error("changed my mind");
    controller.abort(reason);
    await assert.rejects(connecting, (error) => error === reason);
    await silence.givenUp;
  });

  it("gives up at its limit, says where, and lets go of the request and all timers [PP-038]", async () => {
    const clock = createFakeClock();
    const silence = createSilence();
    const client = { name: "host", version: "1", clock };
    const connecting = connect(`${url}?key=s3cret`, {
      client,
      connectTimeoutMs: 200,
      http: { fetch: silence.fetch, clock },
    });
    const rejected = assert.rejects(connecting, (error) => {
      assert.ok(error instanceof TimeoutError);
      assert.deepEqual([error.limit, error.timeoutMs], ["connect", 200]);
      assert.match(error.message, /no session after 200 ms with http:\/\/localhost\/mcp$/);
      return true;
    });
    await silence.called;
    await clock.advance(200);
    await rejected;
    await silence.givenUp;
    assert.equal(clock.pendingTimers, 0);
  });

  it("says of a web page that something answers there, and where the endpoint often is", async () => {
    const fetch = answering(200, "<!doctype html>");
    await assert.rejects(connect("http://localhost/", { http: { fetch } }), (error) => {
      assert.ok(error instanceof PeerError);
      assert.match(error.message, /POST of initialize to http:\/\/localhost\/: .*got "text\/html"/);
      assert.match(error.message, /not as an MCP server; .*often at http:\/\/localhost\/mcp$/);
      return true;
    });
    await assert.rejects(connect(url, { http: { fetch } }), /not as an MCP server; check the path \/mcp$/);
  });

  it("says of a 404 what was tried, what came, and to check the path", async () => {
    await assert.rejects(connect(url, { http: { fetch: answering(404, "no such page") } }), (error) => {
      assert.ok(error instanceof HttpError);
      assert.equal(error.status, 404);
      assert.match(
        error.message,
        /POST of initialize .*got 404: no such page; .*GET .*got 404.*; check the path \/mcp$/,
      );
      return true;
    });
  });

  it("says of a 401 that the server wants to know who calls, and how to tell it", async () => {
    const fetch = answering(401, '{"error":"invalid_token"}', "application/json");
    await assert.rejects(connect(url, { http: { fetch } }), (error) => {
      assert.ok(error instanceof HttpError);
      assert.equal(error.status, 401);
      assert.match(error.message, /got 401: .*invalid_token.*pass a token, as http: \{ headers: \{ authorization:/);
      return true;
    });
  });

  it("adds nothing to an error that says all there is to say", async () => {
    await assert.rejects(connect(url, { http: { fetch: answering(500, "boom"), retry: false } }), /got 500: boom$/);
  });
});
