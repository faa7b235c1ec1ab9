// Cancellation: the caller is released at once, the handler is told, nothing is answered.

import assert from "node:assert/strict";
import { defineServer, tool } from "parley-mcp/server";
import { Arrivals, happening } from "../fixtures/signals.ts";
import { scenario, verifies } from "./verifies.ts";

const identity = { name: "demo", version: "1.0.0" };
const tester = { name: "tester", version: "1.0.0" };

/** A server with a tool that goes on until it is aborted. */
function holding() {
  const started = new Arrivals<string>();
  const aborted = new Arrivals<unknown>();
  const app = defineServer({
    ...identity,
    tools: {
      hold: tool({ description: "Never ends by itself" }, async (_, { signal }) => {
        started.take("hold");
        await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
        aborted.take(signal.reason);
        return "too late";
      }),
      quick: tool({ description: "Ends at once" }, () => "quick"),
    },
  });
  return Object.assign(app, { started, aborted });
}

verifies("cancellation", [
  scenario({
    title:
      "releases the caller with its own reason and aborts the handler, whose answer is not sent [CANCEL-001] [CANCEL-005] [CANCEL-007] [HTTP-024] [M-HTTP-004] [M-HTTP-011] [M-STDIO-002] [M-STDIO-003] [PP-040]",
    app: holding,
    run: async ({ client, wire, app, can, isAlone }) => {
      const controller = new AbortController();
      const call = client.callTool("hold", {}, { signal: controller.signal });
      await app.started.until(1);
      const reason = new Error("changed my mind");
      controller.abort(reason);
      await assert.rejects(call, (error) => error === reason);
      await app.aborted.until(1);
      const [request] = wire.sent("client", "tools/call");
      if (isAlone && wire.http.length > 0) {
        // Letting go of the connection is the word for it.
        assert.deepEqual(wire.sent("client", "notifications/cancelled"), []);
      } else {
        await wire.untilSent("client", "notifications/cancelled");
        assert.equal(wire.onlyParams("client", "notifications/cancelled").requestId, request?.id);
      }
      await client.callTool("quick", {});
      // A POST must be answered with something, and JSON has nothing but an error for that.
      const answered = wire.responses("server").filter(({ id }) => id === request?.id);
      assert.ok(answered.every(({ error }) => error !== undefined && !can.has("tell")));
    },
  }),
  scenario({
    title: "says why, to the other side and to its handler [CANCEL-001] [CANCEL-009]",
    needs: ["session"],
    app: holding,
    run: async ({ client, wire, app }) => {
      const controller = new AbortController();
      const call = client.callTool("hold", {}, { signal: controller.signal });
      await app.started.until(1);
      controller.abort(new Error("the user closed the window"));
      await assert.rejects(call);
      const [reason] = await app.aborted.until(1);
      assert.match(String(reason), /the user closed the window/);
      assert.match(String(wire.onlyParams("client", "notifications/cancelled").reason), /the user closed the window/);
    },
  }),
  scenario({
    title: "sends nothing for a call that is over, or that was given up before it began [CANCEL-002]",
    app: holding,
    run: async ({ client, wire }) => {
      const controller = new AbortController();
      await client.callTool("quick", {}, { signal: controller.signal });
      controller.abort();
      await assert.rejects(client.callTool("quick", {}, { signal: controller.signal }), { name: "AbortError" });
      await client.ping();
      assert.deepEqual(wire.sent("client", "notifications/cancelled"), []);
      assert.equal(wire.sent("client", "tools/call").length, 1);
    },
  }),
  scenario({
    title: "ignores a cancellation of what is not running, and one that names nothing [CANCEL-006] [BASE-012]",
    isOfficial: false,
    app: holding,
    run: async ({ client, wire }) => {
      await client.notify("notifications/cancelled", { requestId: 9_999, reason: "no such request" });
      await client.notify("notifications/cancelled", { requestId: "hold" });
      await client.ping();
      assert.equal(wire.responses("server").length, 2);
    },
  }),
  scenario({
    title: "of a call also withdraws what it asks the client [CANCEL-001] [CANCEL-005]",
    needs: ["ask", "session"],
    since: "2025-06-18",
    app: () => {
      const outcome = happening<unknown>();
      const app = defineServer({
        ...identity,
        tools: {
          ask: tool({ description: "Asks the person" }, async (_, ctx) => {
            const schema = { type: "object", properties: { a: { type: "string" } } } as const;
            await ctx.elicit("Well?", schema).catch(outcome.happen);
            return "asked";
          }),
        },
      });
      return Object.assign(app, { outcome: outcome.promise });
    },
    run: async ({ app, join }) => {
      const [shown, withdrawn] = [happening(), happening()];
      const { client, wire } = await join({
        ...tester,
        elicitation: {
          form: async (_, { signal }) => {
            shown.happen();
            await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
            withdrawn.happen();
            return { action: "cancel" };
          },
        },
      });
      const controller = new AbortController();
      const call = client.callTool("ask", {}, { signal: controller.signal });
      await shown.promise;
      controller.abort(new Error("never mind"));
      await assert.rejects(call, /never mind/);
      assert.match(String(await app.outcome), /never mind/);
      if (wire.http.length === 0) {
        await withdrawn.promise;
        const [question] = wire.sent("server", "elicitation/create");
        assert.equal(wire.onlyParams("server", "notifications/cancelled").requestId, question?.id);
      }
    },
  }),
  scenario({
    title: "meeting its answer on the way does no harm, whichever comes first [CANCEL-008]",
    needs: ["session"],
    app: holding,
    run: async ({ client, wire }) => {
      const rounds = wire.http.length === 0 ? 250 : 50;
      for (let round = 0; round < rounds; round += 1) {
        const controller = new AbortController();
        const call = client.callTool("quick", {}, { signal: controller.signal });
        for (let turn = 0; turn < round % 12; turn += 1) {
          await undefined;
        }
        controller.abort(new Error("cancelled"));
        await call.catch((error: Error) => assert.equal(error.message, "cancelled"));
      }
      await client.ping();
      const ids = wire.responses("server").map(({ id }) => id);
      assert.equal(new Set(ids).size, ids.length);
    },
  }),
]);
