import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeServer } from "../../../test/fixtures/fake-server.ts";
import { turn } from "../../../test/fixtures/turn.ts";
import { createDeferred } from "../../base/deferred.ts";
import { RpcError } from "../../jsonrpc/error.ts";
import { createFakeClock } from "../../test/clock.ts";
import { defineClient } from "../client.ts";
import type { BlockedCall } from "./blocked-call.ts";
import type { UrlDecision, UrlElicitation, UrlElicitationOptions } from "./url-elicitation.ts";

const address = "https://login.example/start?id=1";

async function open(options: Partial<UrlElicitationOptions> = {}) {
  const clock = createFakeClock();
  const server = new FakeServer({ capabilities: { tools: {} } });
  const log: string[] = [];
  const shown: UrlElicitation[] = [];
  const url: UrlElicitationOptions = {
    consent: (request) => {
      log.push("consent");
      shown.push(request);
      return "accept";
    },
    open: (href) => {
      log.push(`open ${href}`);
    },
    onComplete: (id) => log.push(`complete ${id}`),
    ...options,
  };
  const session = await defineClient({ name: "c", version: "1", clock, elicitation: { url } }).connect(server.channel);
  const ask = (params: object = {}) =>
    server.ask("elicitation/create", { mode: "url", message: "Sign in", url: address, elicitationId: "e1", ...params });
  return { clock, server, session, log, shown, ask };
}

/** Makes the server refuse calls with -32042 until told otherwise. */
function requireVisit(server: FakeServer, ids: readonly string[] = ["e1"], refusals = 1): void {
  let left = refusals;
  server.answers.set("tools/call", () => {
    if (left > 0) {
      left -= 1;
      const elicitations = ids.map((elicitationId) => ({ mode: "url", message: "m", url: address, elicitationId }));
      throw new RpcError(-32_042, "visit first", { data: { elicitations } });
    }
    return { content: [{ type: "text", text: "done" }] };
  });
}

describe("elicitation by URL", () => {
  it("shows the full URL and host first and opens it only then [ELIC-038] [ELIC-039] [ELIC-021] [ELIC-016]", async () => {
    const decided = createDeferred<UrlDecision>();
    const names: string[] = [];
    const { session, log, shown, ask } = await open({
      consent: (request, { server }) => {
        shown.push(request);
        names.push(server.info.name);
        return decided.promise;
      },
    });
    const originalFetch = globalThis.fetch;
    globalThis.fetch = () => assert.fail("the URL may not be fetched");
    try {
      const asked = ask();
      await turn();
      assert.equal(shown[0]?.url.href, address);
      assert.equal(shown[0]?.url.host, "login.example");
      assert.equal(shown[0]?.message, "Sign in");
      assert.deepEqual(names, ["fake"]);
      assert.deepEqual(log, []);
      decided.resolve("accept");
      assert.deepEqual((await asked).result, { action: "accept" });
      assert.deepEqual(log, [`open ${address}`]);
    } finally {
      globalThis.fetch = originalFetch;
    }
    await session.close();
  });

  for (const decision of ["decline", "cancel"] as const) {
    it(`opens nothing on ${decision} and answers without content [ELIC-039] [ELIC-021] [ELIC-019]`, async () => {
      const { session, log, ask } = await open({ consent: () => decision });
      assert.deepEqual((await ask()).result, { action: decision });
      assert.deepEqual(log, []);
      await session.close();
    });
  }

  it("warns of a suspicious host in what it shows [ELIC-041]", async () => {
    const { session, shown, ask } = await open();
    await ask({ url: "https://xn--pple-43d.com/" });
    assert.deepEqual(shown[0]?.url.warnings, ["punycode"]);
    await session.close();
  });

  it("refuses what is no page, without asking or opening [ELIC-038]", async () => {
    const { session, log, ask } = await open();
    for (const url of ["javascript:alert(1)", "file:///etc/passwd", "not a url"]) {
      assert.equal((await ask({ url })).error?.code, -32602);
    }
    assert.deepEqual(log, []);
    await session.close();
  });

  it("opens nothing when the request is withdrawn while the person decides [ELIC-039] [CANCEL-005]", async () => {
    const decided = createDeferred<UrlDecision>();
    const { server, session, log } = await open({ consent: () => decided.promise });
    const params = { mode: "url", message: "m", url: address, elicitationId: "e1" };
    server.send({ jsonrpc: "2.0", id: 5, method: "elicitation/create", params });
    await turn();
    server.notify("notifications/cancelled", { requestId: 5 });
    await turn();
    decided.resolve("accept");
    await turn();
    assert.deepEqual(log, []);
    await session.close();
  });

  it("reports a completion once, for ids it knows, whatever they look like [ELIC-018] [ELIC-026]", async () => {
    const { server, session, log, ask } = await open();
    const odd = ' "é🙂/..%00 __proto__';
    await ask({ elicitationId: odd });
    log.length = 0;
    for (const elicitationId of ["unknown", odd, odd]) {
      server.notify("notifications/elicitation/complete", { elicitationId });
    }
    await turn();
    assert.deepEqual(log, [`complete ${odd}`]);
    await session.close();
  });

  it("ignores a completion of what was declined [ELIC-026]", async () => {
    const { server, session, log, ask } = await open({ consent: () => "decline" });
    await ask();
    server.notify("notifications/elicitation/complete", { elicitationId: "e1" });
    await turn();
    assert.deepEqual(log, []);
    await session.close();
  });
});

describe("a call that needs a page to be visited", () => {
  it("is sent again once every page is reported complete [ELIC-027]", async () => {
    const { server, session, log } = await open();
    requireVisit(server, ["e1", "e2"]);
    const call = session.callTool("t");
    await turn();
    await turn();
    assert.deepEqual(log, ["consent", `open ${address}`, "consent", `open ${address}`]);
    server.notify("notifications/elicitation/complete", { elicitationId: "e1" });
    await turn();
    assert.equal(server.paramsOf("tools/call").length, 1);
    server.notify("notifications/elicitation/complete", { elicitationId: "e2" });
    assert.deepEqual((await call).content, [{ type: "text", text: "done" }]);
    assert.equal(server.paramsOf("tools/call").length, 2);
    await session.close();
  });

  it("can be retried or given up by hand when no completion comes [ELIC-027]", async () => {
    for (const choice of ["retry", "cancel"] as const) {
      let blocked: BlockedCall | undefined;
      const { server, session } = await open({
        consent: (request) => {
          blocked = request.blockedCall;
          return "accept";
        },
      });
      requireVisit(server);
      const call = session.callTool("t").then(
        () => "result",
        (error: { code: string }) => error.code,
      );
      await turn();
      await turn();
      blocked?.[choice]();
      assert.equal(await call, choice === "retry" ? "result" : "MCP_URL_ELICITATION_REQUIRED");
      await session.close();
    }
  });

  it("fails with the server's own error when the person declines, when told to, and without a handler [ELIC-027] [PP-065]", async () => {
    const data = { elicitations: [{ mode: "url", message: "m", url: address, elicitationId: "e1" }] };
    const expected = {
      code: "MCP_URL_ELICITATION_REQUIRED",
      rpcCode: -32_042,
      message: "visit first",
      remote: true,
      data,
    };
    for (const options of [{ consent: () => "decline" as const }, { onRequired: "throw" as const }]) {
      const { server, session, log } = await open(options);
      requireVisit(server);
      await assert.rejects(session.callTool("t"), expected);
      assert.ok(!log.some((line) => line.startsWith("open")));
      await session.close();
    }
    const server = new FakeServer({ capabilities: { tools: {} } });
    requireVisit(server);
    const session = await defineClient({ name: "c", version: "1" }).connect(server.channel);
    await assert.rejects(session.callTool("t"), expected);
    await session.close();
  });

  it("fails after the longest wait, leaving no timer [ELIC-027]", async () => {
    const { clock, server, session } = await open({ completionTimeoutMs: 5_000 });
    requireVisit(server);
    const failed = assert.rejects(session.callTool("t"), { code: "MCP_URL_ELICITATION_REQUIRED" });
    await turn();
    await turn();
    await clock.advance(5_000);
    await failed;
    assert.equal(clock.pendingTimers, 0);
    await session.close();
  });

  it("stops waiting when the caller or the session gives up [ELIC-027]", async () => {
    const { clock, server, session } = await open();
    requireVisit(server, ["e1"], 9);
    const controller = new AbortController();
    const { signal } = new AbortController();
    const aborted = assert.rejects(
      session.callTool("t", {}, { signal: controller.signal }),
      (error) => error === "stop",
    );
    const closed = assert.rejects(session.callTool("t", {}, { signal }), { code: "MCP_CLOSED" });
    await turn();
    await turn();
    controller.abort("stop");
    await aborted;
    await session.close();
    await closed;
    assert.equal(clock.pendingTimers, 0);
  });

  it("is not sent again for ever [ELIC-027]", async () => {
    const { server, session } = await open({
      consent: ({ blockedCall }) => {
        blockedCall?.retry();
        return "accept";
      },
    });
    requireVisit(server, ["e1"], Number.POSITIVE_INFINITY);
    await assert.rejects(session.callTool("t"), { code: "MCP_URL_ELICITATION_REQUIRED" });
    assert.equal(server.paramsOf("tools/call").length, 4);
    await session.close();
  });
});
