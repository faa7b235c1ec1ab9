// Elicitation by form: a server asks the person, over every link that can carry the question.

import assert from "node:assert/strict";
import type { ElicitationOptions, FormElicitation } from "parley-mcp/client";
import { z } from "zod";
import { createAskingServer } from "../fixtures/asking-server.ts";
import { scenario, verifies } from "./verifies.ts";

const tester = { name: "tester", version: "1.0.0" };
const person = z.object({
  name: z.string().min(2),
  age: z.number().int().min(0).optional(),
  newsletter: z.boolean().default(false),
  colour: z.enum(["red", "green"]).optional(),
});

const filling = (form: NonNullable<ElicitationOptions["form"]>) => () => ({ ...tester, elicitation: { form } });
const askName = () => createAskingServer((ctx) => ctx.elicit("Who are you?", person));

verifies("elicitation by form", [
  scenario({
    title:
      "shows a form with its server, its fields and their defaults, and gives the checked answer [ELIC-001] [ELIC-004] [ELIC-006] [ELIC-013] [ELIC-016] [ELIC-020]",
    needs: ["ask"],
    since: "2025-06-18",
    app: askName,
    client: filling(({ message, defaults, schema }: FormElicitation, { server }) => {
      assert.equal(message, "Who are you?");
      assert.equal(server.info.name, "demo");
      assert.deepEqual(schema.required, ["name"]);
      return { action: "accept", content: { ...defaults, name: "Ada", age: 36 } };
    }),
    run: async ({ client, wire, app, revision }) => {
      await client.callTool("ask", {});
      assert.deepEqual(app.outcomes, [{ action: "accept", content: { name: "Ada", age: 36, newsletter: false } }]);
      const { requestedSchema, mode } = wire.onlyQuestion("elicitation/create").params;
      assert.equal((requestedSchema as { type: string }).type, "object");
      assert.ok(mode === undefined || (mode === "form" && revision >= "2025-11-25"));
    },
  }),
  scenario({
    title: "tells declining from putting off, and neither throws [ELIC-019] [ELIC-021] [ELIC-022]",
    needs: ["ask"],
    since: "2025-06-18",
    app: askName,
    client: filling(() => ({ action: "decline" })),
    run: async ({ client, wire, app, join }) => {
      await client.callTool("ask", {});
      const later = await join({ ...tester, elicitation: { form: () => ({ action: "cancel" }) } });
      await later.client.callTool("ask", {});
      assert.deepEqual(app.outcomes, [{ action: "decline" }, { action: "cancel" }]);
      assert.deepEqual(wire.questions("elicitation/create").at(-1)?.result, { action: "decline" });
    },
  }),
  scenario({
    title: "never sends an answer that does not fit the form [ELIC-014] [ELIC-020]",
    needs: ["ask"],
    since: "2025-06-18",
    until: "2025-11-25",
    app: askName,
    client: filling(() => ({ action: "accept", content: { name: "A", age: -1 } })),
    run: async ({ client, wire, app }) => {
      await client.callTool("ask", {});
      assert.equal((app.outcomes[0] as { rpcCode: number }).rpcCode, -32603);
      assert.equal(wire.questions("elicitation/create").at(-1)?.result, undefined);
    },
  }),
  scenario({
    title: "fails where it is asked for, with nothing sent, when the client has no forms [ELIC-002] [LIFE-018]",
    app: askName,
    run: async ({ client, wire, app }) => {
      await client.callTool("ask", {});
      assert.equal((app.outcomes[0] as { code: string }).code, "MCP_MISSING_CAPABILITY");
      assert.deepEqual(wire.questions("elicitation/create"), []);
    },
  }),
  scenario({
    title: "neither announces nor uses forms in a revision without them [LIFE-017] [O24-020] [O0326-017]",
    needs: ["ask"],
    until: "2025-03-26",
    app: askName,
    client: filling(() => assert.fail("the person was asked")),
    run: async ({ client, wire, app }) => {
      await client.callTool("ask", {});
      assert.equal((app.outcomes[0] as { code: string }).code, "MCP_MISSING_CAPABILITY");
      assert.deepEqual(wire.declared, {});
      assert.deepEqual(wire.questions("elicitation/create"), []);
    },
  }),
  scenario({
    title: "refuses to ask for a secret or for nested data by form [ELIC-007] [ELIC-015]",
    needs: ["ask"],
    since: "2025-06-18",
    app: () =>
      createAskingServer(async (ctx) => {
        const schemas = [
          z.object({ password: z.string() }),
          z.object({ apiKey: z.string() }),
          z.object({ a: z.object({}) }),
        ];
        return Promise.all(schemas.map((schema) => ctx.elicit("Tell me", schema).catch((error: unknown) => error)));
      }),
    client: filling(() => assert.fail("the person was asked")),
    run: async ({ client, wire, app }) => {
      await client.callTool("ask", {});
      const [errors] = app.outcomes as [{ code: string; message: string }[]];
      assert.deepEqual(
        errors.map(({ code }) => code),
        ["MCP_USAGE", "MCP_USAGE", "MCP_USAGE"],
      );
      assert.match(errors[0]?.message ?? "", /password.*elicitUrl/);
      assert.deepEqual(wire.questions("elicitation/create"), []);
    },
  }),
  scenario({
    title: "refuses fields that the client's revision does not have [LIFE-017] [ELIC-011] [O0618-008]",
    needs: ["ask"],
    since: "2025-06-18",
    app: () =>
      createAskingServer((ctx) => ctx.elicit("Which?", z.object({ colours: z.array(z.enum(["red", "green"])) }))),
    client: filling(() => ({ action: "accept", content: { colours: ["red"] } })),
    run: async ({ client, wire, app, revision }) => {
      await client.callTool("ask", {});
      const isThere = revision >= "2025-11-25";
      assert.equal(wire.questions("elicitation/create").length, isThere ? 1 : 0);
      const [outcome] = app.outcomes as [{ code?: string; content?: unknown }];
      assert.deepEqual(outcome.content, isThere ? { colours: ["red"] } : undefined);
      assert.equal(outcome.code, isThere ? undefined : "MCP_MISSING_CAPABILITY");
    },
  }),
  scenario({
    title: "fails at once where the link has no way to ask within a call [PP-043]",
    lacks: ["ask"],
    since: "2025-06-18",
    app: askName,
    client: filling(() => assert.fail("the person was asked")),
    run: async ({ client, wire, app }) => {
      await client.callTool("ask", {});
      assert.equal((app.outcomes[0] as { code: string }).code, "MCP_MISSING_CAPABILITY");
      assert.deepEqual(wire.methods("server"), []);
    },
  }),
]);
