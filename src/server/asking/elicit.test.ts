import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { z } from "zod";
import { type ClientAnswer, RawClient } from "../../../test/fixtures/raw-client.ts";
import { identity } from "../../../test/fixtures/server-calls.ts";
import { turn } from "../../../test/fixtures/turn.ts";
import type { Diagnostic } from "../../base/diagnostic.ts";
import { isMcpError } from "../../base/error.ts";
import { checkParams } from "../../protocol/params.ts";
import type { AcceptedSchema } from "../../schema/standard.ts";
import { createFakeClock } from "../../test/clock.ts";
import { defineServer } from "../define.ts";
import { tool } from "../features/tool.ts";
import type { ElicitOptions } from "../requests/context.ts";

interface Asked {
  readonly outcome: unknown;
  readonly error: { code: string; message: string; capability?: string } | undefined;
  readonly client: RawClient;
  readonly diagnostics: readonly Diagnostic[];
}

async function ask(
  schema: AcceptedSchema,
  answer: ClientAnswer,
  {
    message = "Please",
    capabilities = { elicitation: {} } as object,
    options,
  }: { message?: string; capabilities?: object; options?: ElicitOptions } = {},
): Promise<Asked> {
  let outcome: unknown;
  let error: Asked["error"];
  const diagnostics: Diagnostic[] = [];
  const app = defineServer({
    ...identity,
    onDiagnostic: (diagnostic) => diagnostics.push(diagnostic),
    tools: {
      ask: tool({}, async (_args, { elicit }) => {
        try {
          outcome = await elicit(message, schema, options);
        } catch (fault) {
          assert.ok(isMcpError(fault), String(fault));
          error = fault as never;
        }
        return "";
      }),
    },
  });
  const client = await RawClient.connect(app, {
    capabilities: capabilities as never,
    answers: { "elicitation/create": answer },
  });
  await client.call("ask");
  return { outcome, error, client, diagnostics };
}

const decline: ClientAnswer = () => ({ action: "decline" });

describe("ctx.elicit", () => {
  it("asks by a flat form, and nothing but a form [ELIC-006] [ELIC-004] [ELIC-007]", async () => {
    const schema = z.object({
      name: z.string().min(1).describe("your name"),
      email: z.email(),
      age: z.int().min(0).default(18),
      color: z.enum(["red", "blue"]),
      agree: z.boolean(),
    });
    const { client } = await ask(schema, decline);
    const [request] = client.requests("elicitation/create");
    assert.equal(checkParams("elicitation/create", request?.params), undefined);
    const { message, requestedSchema } = (request?.params ?? {}) as {
      message: string;
      requestedSchema: { properties: { [name: string]: { type: string } } };
    };
    assert.equal(message, "Please");
    assert.deepEqual(Object.keys(requestedSchema), ["type", "properties", "required"]);
    assert.deepEqual(
      Object.values(requestedSchema.properties).map(({ type }) => type),
      ["string", "string", "integer", "string", "boolean"],
    );
    for (const nested of [
      z.object({ deep: z.object({ a: z.string() }) }),
      z.object({ list: z.array(z.object({})) }),
      { type: "array" },
      { type: "object", properties: { a: { $ref: "#/$defs/x" } }, $defs: { x: { type: "string" } } },
    ]) {
      const { error, client: silent } = await ask(nested, decline);
      assert.equal(error?.code, "MCP_USAGE");
      assert.deepEqual(silent.requests(), []);
    }
  });

  it("tells accept, decline and cancel apart without throwing [ELIC-022]", async () => {
    const schema = z.object({ n: z.number() });
    const accepted = await ask(schema, () => ({ action: "accept", content: { n: 1 } }));
    assert.deepEqual(accepted.outcome, { action: "accept", content: { n: 1 } });
    assert.deepEqual((await ask(schema, decline)).outcome, { action: "decline" });
    assert.deepEqual((await ask(schema, () => ({ action: "cancel" }))).outcome, { action: "cancel" });
  });

  it("checks the content again, fills in defaults and leaves out what was not asked [ELIC-014] [ELIC-020]", async () => {
    const schema = {
      type: "object",
      properties: { n: { type: "integer", maximum: 5 }, unit: { type: "string", enum: ["m", "km"], default: "km" } },
      required: ["n"],
    };
    const { outcome } = await ask(schema, () => ({ action: "accept", content: { n: 2, extra: "x" } }));
    assert.deepEqual(outcome, { action: "accept", content: { n: 2, unit: "km" } });
    for (const content of [
      {},
      { n: "2" },
      { n: 1.5 },
      { n: 6 },
      { n: 1, unit: "mile" },
      undefined,
      { n: { deep: 1 } },
    ]) {
      const { error } = await ask(schema, () => ({ action: "accept", content }));
      assert.equal(error?.code, "MCP_PEER", JSON.stringify(content));
    }
    const refined = z.object({ word: z.string() }).refine(({ word }) => word !== "no", "must not be no");
    const { error } = await ask(refined, () => ({ action: "accept", content: { word: "no" } }));
    assert.match(error?.message ?? "", /must not be no/);
  });

  it("holds answers to every kind of field a form may have [ELIC-008] [ELIC-009] [ELIC-010] [ELIC-011]", async () => {
    const cases: [field: object, good: unknown, bad: unknown[]][] = [
      [{ type: "string", minLength: 2, maxLength: 3 }, "ab", ["a", "abcd", 5]],
      [{ type: "string", pattern: "^[a-z]+$" }, "abc", ["ABC"]],
      [{ type: "string", format: "email" }, "a@b.c", ["nobody"]],
      [{ type: "string", format: "uri" }, "https://a.b", ["a b"]],
      [{ type: "string", format: "date" }, "2026-01-31", ["2026-02-31"]],
      [{ type: "string", format: "date-time" }, "2026-01-31T12:00:00Z", ["2026-01-31"]],
      [{ type: "number", minimum: 0, maximum: 1 }, 0.5, [-1, 2, "0"]],
      [{ type: "integer" }, 3, [1.5]],
      [{ type: "boolean" }, false, ["false"]],
      [{ type: "string", enum: ["a", "b"] }, "a", ["c"]],
      [{ type: "string", oneOf: [{ const: "a", title: "A" }] }, "a", ["A"]],
      [{ type: "array", items: { type: "string", enum: ["a", "b"] }, maxItems: 1 }, ["b"], [["a", "b"], ["c"], "a"]],
      [{ type: "array", items: { anyOf: [{ const: "a", title: "A" }] }, minItems: 1 }, ["a"], [[], ["A"]]],
    ];
    for (const [field, good, bad] of cases) {
      const form = { type: "object", properties: { f: field }, required: ["f"] };
      const accepted = await ask(form, () => ({ action: "accept", content: { f: good } }));
      assert.deepEqual(accepted.outcome, { action: "accept", content: { f: good } }, JSON.stringify(field));
      for (const value of bad) {
        const { error } = await ask(form, () => ({ action: "accept", content: { f: value } }));
        assert.equal(error?.code, "MCP_PEER", `${JSON.stringify(field)} ${JSON.stringify(value)}`);
      }
    }
    const { error } = await ask({ type: "object", properties: { f: { type: "string", format: "ipv4" } } }, decline);
    assert.equal(error?.code, "MCP_USAGE");
  });

  it("takes an action that there is not for a fault of the client [ELIC-019]", async () => {
    const { error } = await ask(z.object({}), () => ({ action: "perhaps" }));
    assert.equal(error?.code, "MCP_PEER");
  });

  it("asks no client that did not declare forms, and says so at once [ELIC-002] [LIFE-018] [PP-043]", async () => {
    for (const capabilities of [{}, { elicitation: { url: {} } }]) {
      const { error, client } = await ask(z.object({}), decline, { capabilities });
      assert.equal(error?.code, "MCP_MISSING_CAPABILITY");
      assert.equal(error?.capability, "elicitation.form");
      assert.deepEqual(client.requests(), []);
    }
  });

  it("refuses to ask for secrets [ELIC-015]", async () => {
    for (const field of ["password", "apiKey", "api_key", "access_token", "creditCard", "cvv"]) {
      const { error, client } = await ask({ type: "object", properties: { [field]: { type: "string" } } }, decline);
      assert.equal(error?.code, "MCP_USAGE", field);
      assert.match(error?.message ?? "", new RegExp(`"${field}".*elicitUrl`));
      assert.deepEqual(client.requests(), []);
    }
    const schema = { type: "object", properties: { passwordHint: { type: "string" } } };
    const allowed = await ask(schema, decline, { options: { allowSecretLookingFields: ["passwordHint"] } });
    assert.deepEqual(allowed.outcome, { action: "decline" });
  });

  it("warns of links in a form's texts [ELIC-037]", async () => {
    const form = z.object({ ok: z.boolean().describe("see https://example.com") });
    const { diagnostics } = await ask(form, decline);
    assert.ok(diagnostics.some(({ code }) => code === "MCP_D_ELICITATION_LINK"));
    const plain = await ask(z.object({ ok: z.boolean() }), decline);
    assert.ok(!plain.diagnostics.some(({ code }) => code === "MCP_D_ELICITATION_LINK"));
  });

  it("waits three minutes for a person with default settings, and an hour at most [PP-037] [LIFE-022] [LIFE-026]", async () => {
    const clock = createFakeClock(1_000_000);
    let answer: (value: unknown) => void = () => {};
    const app = defineServer({
      ...identity,
      clock,
      tools: {
        ask: tool({}, async (_args, ctx) => (await ctx.elicit("?", z.object({}))).action),
      },
    });
    const client = await RawClient.connect(app, {
      capabilities: { elicitation: {} },
      answers: {
        "elicitation/create": () =>
          new Promise((resolve) => {
            answer = resolve;
          }),
      },
    });
    const patient = client.call("ask");
    await turn();
    await clock.advance(180_000);
    await turn();
    answer({ action: "accept", content: {} });
    assert.deepEqual((await patient).result?.content, [{ type: "text", text: "accept" }]);
    const forever = client.call("ask");
    await turn();
    await clock.advance(3_600_000);
    const { result } = await forever;
    assert.equal(result?.isError, true);
    assert.match(JSON.stringify(result), /no answer after 3600000 ms/);
    assert.equal(client.notifications("notifications/cancelled").length, 1);
  });

  it("prepares a schema once, however often it is asked with", async () => {
    let conversions = 0;
    const schema = {
      "~standard": {
        version: 1 as const,
        vendor: "test",
        validate: (value: unknown) => ({ value }),
        jsonSchema: {
          input: () => {
            conversions += 1;
            return { type: "object", properties: {} };
          },
          output: () => ({ type: "object" }),
        },
      },
    };
    await ask(schema, decline);
    await ask(schema, decline);
    assert.equal(conversions, 1);
  });
});
