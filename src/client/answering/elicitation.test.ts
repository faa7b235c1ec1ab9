import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeServer, silence } from "../../../test/fixtures/fake-server.ts";
import { turn } from "../../../test/fixtures/turn.ts";
import { createDeferred } from "../../base/deferred.ts";
import { createFakeClock } from "../../test/clock.ts";
import { defineClient } from "../client.ts";
import type { ElicitationOptions, FormAnswer, FormElicitation } from "./elicitation.ts";

const schema = {
  type: "object",
  properties: {
    name: { type: "string", default: "Ada", minLength: 2 },
    age: { type: "integer", default: 36, minimum: 0, maximum: 150 },
    score: { type: "number", default: 0.5 },
    member: { type: "boolean", default: true },
    color: { type: "string", enum: ["red", "green"], default: "red" },
    size: {
      type: "string",
      oneOf: [
        { const: "s", title: "Small" },
        { const: "l", title: "Large" },
      ],
      default: "l",
    },
    tags: { type: "array", items: { type: "string", enum: ["a", "b"] }, maxItems: 1, default: ["a"] },
    parts: { type: "array", items: { anyOf: [{ const: "x", title: "X" }] }, default: ["x"] },
    old: { type: "string", enum: ["1", "2"], enumNames: ["One", "Two"] },
  },
  required: ["name"],
};
const defaults = {
  name: "Ada",
  age: 36,
  score: 0.5,
  member: true,
  color: "red",
  size: "l",
  tags: ["a"],
  parts: ["x"],
};

async function open(elicitation: ElicitationOptions) {
  const clock = createFakeClock();
  const server = new FakeServer({ capabilities: { tools: {} } });
  const client = defineClient({ name: "c", version: "1", clock, elicitation });
  const session = await client.connect(server.channel);
  const ask = (params: object = {}) =>
    server.ask("elicitation/create", { message: "Who are you?", requestedSchema: schema, ...params });
  return { clock, server, client, session, ask };
}

describe("elicitation by form", () => {
  it("announces the modes it has handlers for, and needs at least one [ELIC-001]", () => {
    const form = (): FormAnswer => ({ action: "decline" });
    const url = { consent: () => "decline" as const, open: () => {} };
    const announced = (elicitation: ElicitationOptions): unknown =>
      defineClient({ name: "c", version: "1", elicitation }).capabilities.elicitation;
    assert.deepEqual(announced({ form }), { form: {} });
    assert.deepEqual(announced({ url }), { url: {} });
    assert.deepEqual(announced({ form, url }), { form: {}, url: {} });
    assert.throws(() => announced({}), { code: "MCP_USAGE", message: /form or for url/ });
  });

  it("runs the form handler when the mode is form or missing [ELIC-005]", async () => {
    const seen: FormElicitation[] = [];
    const { session, ask } = await open({
      form: (form) => {
        seen.push(form);
        return { action: "decline" };
      },
    });
    assert.deepEqual((await ask()).result, { action: "decline" });
    assert.deepEqual((await ask({ mode: "form" })).result, { action: "decline" });
    assert.equal(seen.length, 2);
    assert.equal(seen[0]?.message, "Who are you?");
    await session.close();
  });

  it("refuses a mode it did not announce [ELIC-003]", async () => {
    const formOnly = await open({ form: () => assert.fail() });
    const url = { mode: "url", url: "https://a.example", elicitationId: "1", requestedSchema: undefined };
    assert.equal((await formOnly.ask(url)).error?.code, -32602);
    await formOnly.session.close();
    const urlOnly = await open({ url: { consent: () => assert.fail(), open: () => {} } });
    assert.equal((await urlOnly.ask()).error?.code, -32602);
    assert.equal((await urlOnly.ask({ mode: "carrier-pigeon" })).error?.code, -32602);
    await urlOnly.session.close();
  });

  it("pre-fills fields of every type with their defaults [ELIC-013]", async () => {
    let got: unknown;
    const { session, ask } = await open({
      form: (form) => {
        got = form.defaults;
        return { action: "accept", content: form.defaults };
      },
    });
    assert.deepEqual((await ask()).result, { action: "accept", content: defaults });
    assert.deepEqual(got, defaults);
    await session.close();
  });

  it("names the server to the handler and sends accept, decline and cancel as they are [ELIC-016] [ELIC-019] [ELIC-020] [ELIC-021]", async () => {
    const names: string[] = [];
    let next: FormAnswer = { action: "cancel" };
    const { session, ask } = await open({
      form: (_form, { server }) => {
        names.push(server.info.name);
        return next;
      },
    });
    assert.deepEqual((await ask()).result, { action: "cancel" });
    next = { action: "decline", content: { name: "leak" } } as FormAnswer;
    assert.deepEqual((await ask()).result, { action: "decline" });
    next = { action: "accept", content: { name: "Grace" } };
    assert.deepEqual((await ask()).result, { action: "accept", content: { name: "Grace" } });
    assert.deepEqual(names, ["fake", "fake", "fake"]);
    await session.close();
  });

  const refused = {
    "a missing required field": {},
    "a text too short": { name: "A" },
    "a fraction for an integer": { name: "Ada", age: 1.5 },
    "a number out of bounds": { name: "Ada", age: 151 },
    "a string for a boolean": { name: "Ada", member: "yes" },
    "a value outside an enum": { name: "Ada", color: "blue" },
    "a value outside titled options": { name: "Ada", size: "m" },
    "too many choices": { name: "Ada", tags: ["a", "b"] },
    "a foreign choice": { name: "Ada", parts: ["y"] },
    "a nested object": { name: { first: "Ada" } },
  };
  for (const [what, content] of Object.entries(refused)) {
    it(`never sends ${what} [ELIC-008] [ELIC-009] [ELIC-010] [ELIC-011] [ELIC-014] [ELIC-020]`, async () => {
      const { session, ask } = await open({ form: () => ({ action: "accept", content }) as FormAnswer });
      const { error, result } = await ask();
      assert.equal(error?.code, -32603);
      assert.equal(result, undefined);
      await session.close();
    });
  }

  it("takes the older form of a titled choice [ELIC-012]", async () => {
    const { session, ask } = await open({ form: () => ({ action: "accept", content: { name: "Ada", old: "2" } }) });
    assert.deepEqual((await ask()).result, { action: "accept", content: { name: "Ada", old: "2" } });
    await session.close();
  });

  it("refuses a form that nests [ELIC-006]", async () => {
    const { session, ask } = await open({ form: () => assert.fail() });
    assert.equal((await ask({ requestedSchema: { type: "array" } })).error?.code, -32602);
    const nested = { type: "object", properties: { a: { type: "object", properties: {} } } };
    assert.equal((await ask({ requestedSchema: nested })).error?.code, -32602);
    await session.close();
  });

  it("refuses a flood, and goes on later [ELIC-035]", async () => {
    const rateLimit = { maxRequests: 1, perMs: 1_000 };
    const { clock, session, ask } = await open({ form: () => ({ action: "decline" }), rateLimit });
    assert.ok((await ask()).result);
    assert.equal((await ask()).error?.code, -32603);
    await clock.advance(1_000);
    assert.ok((await ask()).result);
    await session.close();
  });

  it("stops the clocks of waiting calls while a person thinks for three minutes [PP-037]", async () => {
    const person = createDeferred<FormAnswer>();
    const { clock, server, session, ask } = await open({ form: () => person.promise });
    const answerTool = createDeferred<object>();
    server.answers.set("tools/call", () => answerTool.promise);
    const call = session.callTool("deploy");
    await turn();
    const asked = ask();
    await turn();
    await clock.advance(180_000);
    person.resolve({ action: "accept", content: { name: "Ada" } });
    assert.ok((await asked).result);
    await clock.advance(59_000);
    answerTool.resolve({ content: [] });
    assert.deepEqual(await call, { content: [] });
    await session.close();
  });

  it("lets clocks run again once the person has answered [PP-037]", async () => {
    const { clock, server, session, ask } = await open({ form: () => ({ action: "decline" }) });
    server.answers.set("tools/call", silence);
    const failed = assert.rejects(session.callTool("deploy"), { code: "MCP_TIMEOUT", limit: "idle" });
    await turn();
    await ask();
    await clock.advance(60_000);
    await failed;
    await session.close();
  });
});
