// Elicitation by URL: consent to open a page, its completion, and calls that cannot go on without it.

import assert from "node:assert/strict";
import { UrlElicitationRequiredError } from "parley-mcp";
import type { UrlElicitation, UrlElicitationOptions } from "parley-mcp/client";
import { defineServer, tool, type UrlOutcome } from "parley-mcp/server";
import { createAskingServer } from "../fixtures/asking-server.ts";
import { Arrivals } from "../fixtures/signals.ts";
import { scenario, verifies } from "./verifies.ts";

const identity = { name: "demo", version: "1.0.0" };
const tester = { name: "tester", version: "1.0.0" };
const page = "https://bank.example/connect";
const since = "2025-11-25";

/** A client that agrees to everything, and what it was shown, opened and told. */
function agreeing(more: Partial<UrlElicitationOptions> = {}) {
  const shown: UrlElicitation[] = [];
  const opened: string[] = [];
  const completed = new Arrivals<string>();
  const url: UrlElicitationOptions = {
    consent: (request) => {
      assert.deepEqual(opened, [], "opened before consent");
      shown.push(request);
      return "accept";
    },
    open: (target) => void opened.push(target),
    onComplete: completed.take,
    ...more,
  };
  return { shown, opened, completed, options: { ...tester, elicitation: { url } } };
}

verifies("elicitation by URL", [
  scenario({
    title:
      "opens a page after consent; accepting is not completing, which the server tells once [ELIC-017] [ELIC-021] [ELIC-023] [ELIC-024] [ELIC-039]",
    needs: ["ask", "push", "session"],
    since,
    app: () => createAskingServer((ctx) => ctx.elicitUrl({ message: "Connect your bank", url: page })),
    run: async ({ app, join }) => {
      const person = agreeing();
      const { client, wire } = await join(person.options);
      await client.callTool("ask", {});
      const [{ action, elicitationId, complete }] = app.outcomes as [UrlOutcome];
      assert.equal(action, "accept");
      const { _meta, ...params } = wire.onlyQuestion("elicitation/create").params;
      assert.deepEqual(params, { mode: "url", message: "Connect your bank", url: page, elicitationId });
      assert.deepEqual(wire.questions("elicitation/create").at(-1)?.result, { action: "accept" });
      assert.deepEqual(person.opened, [page]);
      assert.equal(person.shown[0]?.url.domain, "bank.example");
      assert.deepEqual(wire.sent("server", "notifications/elicitation/complete"), []);
      await complete();
      assert.deepEqual(await person.completed.until(1), [elicitationId]);
      assert.deepEqual(wire.onlyParams("server", "notifications/elicitation/complete"), { elicitationId });
    },
  }),
  scenario({
    title: "opens nothing that the person declined [ELIC-022] [ELIC-039]",
    needs: ["ask"],
    since,
    app: () => createAskingServer((ctx) => ctx.elicitUrl({ message: "Connect your bank", url: page })),
    client: () => ({
      ...tester,
      elicitation: { url: { consent: () => "decline", open: () => assert.fail("the page was opened") } },
    }),
    run: async ({ client, app }) => {
      await client.callTool("ask", {});
      assert.equal((app.outcomes[0] as UrlOutcome).action, "decline");
    },
  }),
  scenario({
    title: "tells only the client that was asked of a completion [ELIC-025] [LIFE-028]",
    needs: ["ask", "push", "session"],
    since,
    app: () => createAskingServer((ctx) => ctx.elicitUrl({ message: "Connect", url: page })),
    run: async ({ app, join }) => {
      const [mine, theirs] = [agreeing(), agreeing()];
      const me = await join(mine.options);
      const they = await join(theirs.options);
      await me.client.callTool("ask", {});
      await they.client.callTool("ask", {});
      const [first, second] = app.outcomes as [UrlOutcome, UrlOutcome];
      assert.notEqual(first.elicitationId, second.elicitationId);
      assert.equal(await app.completeElicitation(first.elicitationId), true);
      assert.equal(await app.completeElicitation(first.elicitationId), false);
      await app.completeElicitation(second.elicitationId);
      assert.deepEqual(await mine.completed.until(1), [first.elicitationId]);
      assert.deepEqual(await theirs.completed.until(1), [second.elicitationId]);
      assert.equal(me.wire.sent("server", "notifications/elicitation/complete").length, 1);
    },
  }),
  scenario({
    title:
      "refuses a URL with credentials, and warns of one without encryption; nothing but the page's own URL travels [ELIC-036] [ELIC-037]",
    needs: ["ask"],
    since,
    app: () =>
      createAskingServer(async (ctx) => {
        const urls = ["https://ada:secret@bank.example/", "http://bank.example/", "http://localhost:1/"];
        const ask = (url: string) => ctx.elicitUrl({ message: "Go", url }).catch((error: unknown) => error);
        return [await ask(urls[0] ?? ""), await ask(urls[1] ?? ""), await ask(urls[2] ?? "")];
      }),
    client: () => agreeing({ consent: () => "accept" }).options,
    run: async ({ client, wire, app }) => {
      await client.callTool("ask", {});
      const [[refused, ...asked]] = app.outcomes as [[{ code: string }, ...UrlOutcome[]]];
      assert.equal(refused.code, "MCP_USAGE");
      assert.deepEqual(
        asked.map(({ action }) => action),
        ["accept", "accept"],
      );
      const sent = wire.questions("elicitation/create").map(({ params }) => params?.url);
      assert.deepEqual(sent, ["http://bank.example/", "http://localhost:1/"]);
      assert.deepEqual([...app.diagnostics], ["MCP_D_ELICITATION_URL"]);
    },
  }),
  scenario({
    title:
      "is not asked of a client, or in a revision, without it [ELIC-002] [LIFE-017] [O24-020] [O0326-017] [O0618-010]",
    needs: ["ask"],
    app: () => createAskingServer((ctx) => ctx.elicitUrl({ message: "Connect", url: page })),
    client: () => ({ ...tester, elicitation: { form: () => ({ action: "decline" as const }) } }),
    run: async ({ client, wire, app, revision, join }) => {
      await client.callTool("ask", {});
      assert.equal((app.outcomes[0] as { code: string }).code, "MCP_MISSING_CAPABILITY");
      assert.deepEqual(wire.questions("elicitation/create"), []);
      if (revision < since) {
        const able = await join(agreeing().options);
        await able.client.callTool("ask", {});
        assert.deepEqual(able.wire.questions("elicitation/create"), []);
      }
    },
  }),
]);

/** A tool that needs a page to have been visited; `visit` visits it. */
function gated() {
  const state = { visited: false, calls: 0 };
  const app = defineServer({
    ...identity,
    tools: {
      balance: tool({ description: "Needs the bank" }, () => {
        state.calls += 1;
        if (!state.visited) {
          throw new UrlElicitationRequiredError([
            { mode: "url", message: "Connect your bank", url: page, elicitationId: `visit-${state.calls}` },
          ]);
        }
        return "100";
      }),
    },
  });
  return Object.assign(app, { state });
}

verifies("a call that needs a page first", [
  scenario({
    title: "fails with -32042 and the pages, never as a failed result [ELIC-028] [ELIC-029]",
    needs: ["session"],
    since,
    app: gated,
    client: () => agreeing({ onRequired: "throw" }).options,
    run: async ({ client, wire }) => {
      await assert.rejects(client.callTool("balance", {}), { code: "MCP_URL_ELICITATION_REQUIRED", rpcCode: -32042 });
      const elicitations = [{ mode: "url", message: "Connect your bank", url: page, elicitationId: "visit-1" }];
      assert.deepEqual(wire.answerTo("client", "tools/call")?.error?.data, { elicitations });
    },
  }),
  scenario({
    title: "is sent again once the server tells that the page has been visited [ELIC-024] [ELIC-027]",
    needs: ["push", "session"],
    since,
    app: gated,
    run: async ({ app, join }) => {
      const person = agreeing({
        open: () => {
          app.state.visited = true;
          void app.completeElicitation("visit-1");
        },
      });
      const { client, wire } = await join(person.options);
      const { content } = await client.callTool("balance", {});
      assert.deepEqual(content, [{ type: "text", text: "100" }]);
      assert.equal(app.state.calls, 2);
      assert.equal(wire.sent("client", "tools/call").length, 2);
    },
  }),
  scenario({
    title: "is a failed result for a client without pages [ELIC-002] [ELIC-028] [O0618-010]",
    until: "2025-11-25",
    app: gated,
    run: async ({ client, wire }) => {
      const result = await client.callTool("balance", {});
      assert.equal(result.isError, true);
      assert.equal(wire.answerTo("client", "tools/call")?.error, undefined);
    },
  }),
]);
