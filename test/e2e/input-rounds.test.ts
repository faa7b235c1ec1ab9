// Asking in results: rounds of questions, and one style of handler for all revisions.

import assert from "node:assert/strict";
import type { JsonObject } from "parley-mcp";
import { type ClientOptions, InputError } from "parley-mcp/client";
import { defineServer, tool } from "parley-mcp/server";
import { createFakeClock } from "parley-mcp/test";
import { createAskingServer } from "../fixtures/asking-server.ts";
import { able, askingOf, createInterviewServer, oslo, question, text, told } from "../fixtures/interview-server.ts";
import { happening } from "../fixtures/signals.ts";
import { scenario, verifies } from "./verifies.ts";

const identity = { name: "demo", version: "1.0.0" };
const tester = { name: "tester", version: "1.0.0" };
const since = "2026-07-28";
const clock = { name: "clock", inputSchema: { type: "object" as const } };

verifies("asking within a call", [
  scenario({
    title:
      "gives the same in every revision, by one handler, with the work before each question done once [M-MRTR-030] [M-MRTR-005] [M-PROMPT-001] [M-SAMP-001] [M-ROOT-001] [OLEG-008] [PP-112]",
    needs: ["ask"],
    since: "2025-06-18",
    app: createInterviewServer,
    client: able,
    run: async ({ client, wire, app, isAlone }) => {
      assert.deepEqual((await client.callTool("ask", {})).content, [{ type: "text", text: told }]);
      assert.deepEqual(app.done, ["ticket", "between", "end"]);
      const kinds = ["elicitation/create", "sampling/createMessage", "roots/list"];
      assert.deepEqual(
        kinds.map((kind) => wire.questions(kind).length),
        [2, 1, 1],
      );
      // With a handshake the server asks by requests, without one it sends none at all.
      const requests = wire.from("server").filter(({ id, method }) => id !== undefined && method !== undefined);
      assert.equal(requests.length, isAlone ? 0 : 4);
      app.done.length = 0;
      const { messages } = await client.getPrompt("ask");
      assert.deepEqual(messages[0]?.content, { type: "text", text: told });
      app.done.length = 0;
      const { contents } = await client.readResource("note:///ask");
      assert.equal((contents[0] as { text: string }).text, told);
      assert.deepEqual(app.done, ["ticket", "between", "end"]);
    },
  }),
]);

verifies("rounds of questions", [
  scenario({
    title:
      "repeat the request with a new id, the same params and all answers at once, and nothing else [M-MRTR-001] [M-MRTR-003] [M-MRTR-019] [M-MRTR-020] [M-MRTR-022] [M-MRTR-024] [M-CACHE-002]",
    since,
    app: createInterviewServer,
    client: able,
    run: async ({ client, wire }) => {
      const progress = await client.callTool("ask", {}, { onProgress: () => undefined });
      assert.equal(progress.isError, undefined);
      await client.callTool("ask", {}).then(() => client.ping());
      const [first, second, third, next] = wire.sent("client", "tools/call");
      assert.equal(new Set([first?.id, second?.id, third?.id]).size, 3);
      const { _meta: _first, ...asked } = first?.params ?? {};
      for (const [retry, count] of [
        [second, 1],
        [third, 3],
      ] as const) {
        const { _meta, inputResponses, requestState, ...rest } = retry?.params ?? {};
        assert.deepEqual(rest, asked);
        assert.equal(Object.keys(inputResponses as object).length, count);
        const answered = wire.responses("server").find(({ result }) => result?.requestState === requestState);
        assert.deepEqual(
          Object.keys(inputResponses as object).sort(),
          Object.keys((answered?.result?.inputRequests ?? {}) as object).sort(),
        );
        assert.equal("ttlMs" in (answered?.result ?? {}), false);
        assert.equal((_meta as JsonObject)["io.modelcontextprotocol/protocolVersion"], since);
      }
      assert.equal("requestState" in (next?.params ?? {}), false);
      assert.equal("inputResponses" in (next?.params ?? {}), false);
      const tokens = wire
        .sent("client", "tools/call")
        .map(({ params = {} }) => (params._meta as JsonObject).progressToken);
      assert.equal(new Set(tokens.slice(0, 3)).size, 3);
    },
  }),
  scenario({
    title: "carry a refusal of the person as an answer [M-MRTR-026] [M-ELIC-005]",
    since,
    app: () => createAskingServer((ctx) => ctx.elicit("Well?", text)),
    run: async ({ app, join }) => {
      for (const action of ["decline", "cancel"] as const) {
        const { client, wire } = await join({ ...tester, elicitation: { form: () => ({ action }) } });
        await client.callTool("ask", {});
        assert.deepEqual(wire.onlyQuestion("elicitation/create").result, { action });
        assert.deepEqual(app.outcomes.at(-1), { action });
      }
    },
  }),
  scenario({
    title:
      "end where an answer cannot be had: nothing is sent instead, and the caller learns why [M-MRTR-027] [M-SAMP-004]",
    since,
    app: () => createAskingServer((ctx) => ctx.sample(question)),
    run: async ({ app, join }) => {
      const broken: readonly ClientOptions["sampling"][] = [
        {
          createMessage: () => {
            throw new Error("the model is away");
          },
        },
        { createMessage: () => assert.fail("the model was asked"), approveRequest: () => false },
        // The use of a tool answers nothing that came without tools.
        { createMessage: () => ({ ...oslo, content: { type: "tool_use", id: "1", name: "clock", input: {} } }) },
      ];
      for (const sampling of broken) {
        const { client, wire } = await join({ ...tester, sampling });
        const call = client.callTool("ask", {});
        await assert.rejects(call, (error) => error instanceof InputError && error.reason === "failed");
        assert.equal(wire.sent("client", "tools/call").length, 1);
        assert.deepEqual(app.outcomes, []);
      }
    },
  }),
  scenario({
    title: "never carry an answer that does not fit the form [M-MRTR-016] [M-ELIC-007]",
    since,
    app: () =>
      createAskingServer((ctx) =>
        ctx.elicit("How far?", {
          type: "object",
          properties: { far: { type: "number", minimum: 0.5, maximum: 1.5 } },
          required: ["far"],
        } as const),
      ),
    run: async ({ app, join }) => {
      const fitting = await join({
        ...tester,
        elicitation: { form: () => ({ action: "accept", content: { far: 1 } }) },
      });
      await fitting.client.callTool("ask", {});
      assert.deepEqual(app.outcomes, [{ action: "accept", content: { far: 1 } }]);
      const form = () => ({ action: "accept" as const, content: { far: 1.75 } });
      const { client, wire } = await join({ ...tester, elicitation: { form } });
      await assert.rejects(client.callTool("ask", {}), (error) => error instanceof InputError);
      assert.equal(wire.sent("client", "tools/call").length, 1);
    },
  }),
  scenario({
    title:
      "are not begun with a client that did not declare what is needed, and name it [M-ERR-008] [M-MRTR-004] [M-ELIC-001]",
    since,
    app: () =>
      defineServer({
        ...identity,
        tools: {
          form: tool({}, async (_, ctx) => (await ctx.elicit("?", text)).action),
          page: tool({}, async (_, ctx) => (await ctx.elicitUrl({ message: "?", url: "https://a.example" })).action),
          model: tool({}, async (_, ctx) => (await ctx.sample(question)).model),
          tools: tool({}, async (_, ctx) => (await ctx.sample({ ...question, tools: [clock] })).model),
          roots: tool({}, async (_, ctx) => String((await ctx.roots()).length)),
        },
      }),
    run: async ({ client, wire, join }) => {
      const required = {
        form: { elicitation: {} },
        page: { elicitation: { url: {} } },
        model: { sampling: {} },
        roots: { roots: {} },
      };
      for (const [name, requiredCapabilities] of Object.entries(required)) {
        const call = client.callTool(name as "form", {});
        await assert.rejects(call, (error: { rpcCode: number; data: { requiredCapabilities: JsonObject } }) => {
          assert.equal(error.rpcCode, -32021);
          assert.deepEqual(Object.keys(error.data.requiredCapabilities), Object.keys(requiredCapabilities));
          return true;
        });
      }
      const talking = await join({ ...tester, sampling: { createMessage: () => oslo } });
      await assert.rejects(talking.client.callTool("tools", {}), {
        rpcCode: -32021,
        data: { requiredCapabilities: { sampling: { tools: {} } } },
      });
      const [refused] = wire.responses("server").filter(({ error }) => error !== undefined);
      assert.equal(refused?.error?.code, -32021);
      for (const { status, body } of wire.http.filter(({ body: sent }) => sent?.method === "tools/call")) {
        assert.deepEqual([status, body?.method], [400, "tools/call"]);
      }
    },
  }),
  scenario({
    title: "open pages without ids and completion: accepting is not being done [M-ELIC-002] [M-ELIC-003] [M-ERR-005]",
    since,
    app: () =>
      createAskingServer(async (ctx) => (await ctx.elicitUrl({ message: "Go", url: "https://a.example/" })).action),
    client: () => ({ ...tester, elicitation: { url: { consent: () => "accept", open: () => undefined } } }),
    run: async ({ client, wire, app }) => {
      await client.callTool("ask", {});
      assert.deepEqual(app.outcomes, ["accept"]);
      const { params, result } = wire.onlyQuestion("elicitation/create");
      assert.deepEqual(params, { mode: "url", message: "Go", url: "https://a.example/" });
      assert.deepEqual(result, { action: "accept" });
      assert.deepEqual(wire.methods("server"), []);
    },
  }),
  scenario({
    title:
      "wait for the person as long as it takes; giving up meanwhile closes the question and sends nothing [M-MRTR-029] [CANCEL-001]",
    since,
    app: () => createAskingServer((ctx) => ctx.elicit("Well?", text)),
    run: async ({ app, join }) => {
      const clock = createFakeClock(1_000_000);
      const [shown, withdrawn] = [happening(), happening()];
      const { client, wire } = await join({
        ...tester,
        clock,
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
      const call = client.callTool("ask", {}, { signal: controller.signal, idleTimeoutMs: 1_000 });
      call.catch(() => undefined);
      await shown.promise;
      await clock.advance(5_000);
      const reason = new Error("never mind");
      controller.abort(reason);
      await assert.rejects(call, (error) => error === reason);
      await withdrawn.promise;
      assert.equal(wire.sent("client", "tools/call").length, 1);
      assert.deepEqual(app.outcomes, []);
    },
  }),
  scenario({
    title: "can be driven by hand [M-MRTR-030] [M-MRTR-017] [M-MRTR-018]",
    since,
    app: () => createAskingServer((ctx) => ctx.elicit("Well?", text)),
    client: able,
    run: async ({ client, app }) => {
      const params = { name: "ask", arguments: {} };
      const invented = { inputResponses: { "made-up": { action: "accept" as const, content: { a: "me" } } } };
      const manual = { inputRounds: "manual" } as const;
      const { requestState, keys } = askingOf(await client.request("tools/call", { ...params, ...invented }, manual));
      const missing = askingOf(await client.request("tools/call", { ...params, requestState }, manual));
      assert.deepEqual(missing.keys, keys);
      const answer = { action: "accept" as const, content: { a: "hand" } };
      const inputResponses = { [keys[0] ?? ""]: answer, more: { roots: [] } };
      const retry = { ...params, inputResponses, requestState: missing.requestState };
      const final = await client.request("tools/call", retry);
      assert.deepEqual(final.content, [{ type: "text", text: "asked" }]);
      assert.deepEqual(app.outcomes, [{ action: "accept", content: { a: "hand" } }]);
    },
  }),
]);
