// Whatever a server is made of and whatever is asked of it: every link and every revision gives the same outcome.
//
// An outcome is what an application sees: contents, failures, names, the codes of errors, and what the handlers did. How
// it travels, and the words that only some revisions have, are no part of it.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { isMcpError, type JsonObject, ToolError } from "parley-mcp";
import type { ClientSession } from "parley-mcp/client";
import { defineServer, image, prompt, resource, type Server, type ToolDefinition, tool } from "parley-mcp/server";
import { revisions } from "../../src/revision/registry.ts";
import { oslo, question } from "../fixtures/interview-server.ts";
import { abilitiesOf, type MatrixLink, matrixLinks } from "../fixtures/matrix-links.ts";
import { within } from "../fixtures/within.ts";

const words = fc.string({ unit: "grapheme", maxLength: 12 });
const values = fc.dictionary(fc.stringMatching(/^[a-z]{1,3}$/), fc.oneof(fc.integer(), words, fc.boolean()), {
  maxKeys: 3,
  noNullPrototype: true,
});

/** What a tool does, as data. */
const behaviours = fc.oneof(
  fc.record({ does: fc.constant("says" as const), text: words }),
  fc.record({ does: fc.constant("repeats" as const) }),
  fc.record({ does: fc.constant("gives" as const), value: values }),
  fc.record({ does: fc.constant("shows" as const), bytes: fc.uint8Array({ minLength: 1, maxLength: 9 }) }),
  fc.record({ does: fc.constant("throws" as const), message: words }),
  fc.record({ does: fc.constant("refuses" as const), message: words }),
  fc.record({ does: fc.constant("asks" as const), times: fc.integer({ min: 1, max: 3 }) }),
);

const definitions = fc.record({
  tools: fc.array(behaviours, { minLength: 1, maxLength: 5 }),
  resources: fc.array(words, { maxLength: 4 }),
  prompts: fc.array(fc.boolean(), { maxLength: 3 }),
  pageSize: fc.integer({ min: 1, max: 4 }),
});

const places = fc.nat({ max: 5 });
const operations = fc.oneof(
  fc.record({
    op: fc.constant("call" as const),
    at: places,
    args: fc.oneof(fc.constant({}), fc.record({ a: words }), fc.record({ a: fc.integer() }), fc.record({ zz: words })),
  }),
  fc.record({ op: fc.constantFrom("tools" as const, "resources" as const, "prompts" as const) }),
  fc.record({ op: fc.constant("read" as const), at: places }),
  fc.record({ op: fc.constant("fill" as const), at: places, args: fc.oneof(fc.constant({}), fc.record({ a: words })) }),
);

type Behaviour = typeof behaviours extends fc.Arbitrary<infer T> ? T : never;
type Definition = typeof definitions extends fc.Arbitrary<infer T> ? T : never;
type Operation = typeof operations extends fc.Arbitrary<infer T> ? T : never;

const input = { type: "object", properties: { a: { type: "string" } }, additionalProperties: false } as const;

function createTool(behaviour: Behaviour, done: string[]): ToolDefinition {
  return tool({ description: behaviour.does, input }, async (args, { once, sample, roots }) => {
    switch (behaviour.does) {
      case "says":
        return behaviour.text;
      case "repeats":
        return JSON.stringify(args);
      case "gives":
        return behaviour.value;
      case "shows":
        return image(behaviour.bytes, "image/png");
      case "throws":
        throw new Error(behaviour.message);
      case "refuses":
        throw new ToolError(behaviour.message);
      case "asks": {
        const heard: unknown[] = [];
        for (let time = 0; time < behaviour.times; time += 1) {
          await once(`step ${time}`, () => void done.push(`step ${time}`));
          heard.push((await sample({ ...question, maxTokens: time + 1 })).model, await roots());
        }
        return JSON.stringify(heard);
      }
    }
  }) as ToolDefinition;
}

/** The server of a definition, and what its handlers did. */
function build({ tools, resources, prompts, pageSize }: Definition): { app: Server; done: string[] } {
  const done: string[] = [];
  const app = defineServer({
    name: "any",
    version: "1.0.0",
    pageSize,
    onError: () => undefined,
    requestState: { keys: [new Uint8Array(32)] },
    tools: Object.fromEntries(tools.map((behaviour, at) => [`t${at}`, createTool(behaviour, done)])),
    resources: Object.fromEntries(
      resources.map((text, at) => [`r${at}`, resource({ uri: `note:///${at}` }, () => text)]),
    ),
    prompts: Object.fromEntries(
      prompts.map((required, at) => [`p${at}`, prompt({ arguments: { a: { required } } }, ({ a }) => `said ${a}`)]),
    ),
  });
  return { app: app as unknown as Server, done };
}

const names = (items: readonly { name: string; description?: string }[]) =>
  items.map(({ name, description }) => [name, description ?? ""]);

async function perform(client: ClientSession, operation: Operation): Promise<unknown> {
  switch (operation.op) {
    case "call": {
      const { content, isError = false, structuredContent } = await client.callTool(`t${operation.at}`, operation.args);
      if (structuredContent !== undefined) {
        const [block] = content;
        assert.deepEqual(JSON.parse(block?.type === "text" ? block.text : ""), structuredContent);
      }
      return { content, isError };
    }
    case "tools":
      return names(await client.listTools().all());
    case "resources":
      return names(await client.listResources().all());
    case "prompts":
      return names(await client.listPrompts().all());
    case "read":
      return (await client.readResource(`note:///${operation.at}`)).contents;
    case "fill":
      return (await client.getPrompt(`p${operation.at}`, operation.args)).messages;
  }
}

/** What an application sees of an operation, also when it fails. */
async function outcomeOf(client: ClientSession, operation: Operation): Promise<unknown> {
  try {
    return await perform(client, operation);
  } catch (error) {
    if (!isMcpError(error)) {
      throw error;
    }
    return { failed: error.code };
  }
}

const roots = [{ uri: "file:///home", name: "home" }];

async function runOver(link: MatrixLink, revision: string, definition: Definition, plan: readonly Operation[]) {
  const { app, done } = build(definition);
  const serving = await link.serve(app);
  const client = { name: "any", version: "1.0.0", sampling: { createMessage: () => oslo }, roots };
  try {
    const joined = await serving.join({ revision, client });
    const outcomes: unknown[] = [];
    for (const operation of plan) {
      outcomes.push(await outcomeOf(joined.client, operation));
    }
    return { outcomes, done };
  } finally {
    await serving.close();
  }
}

const cases = matrixLinks
  // Sockets carry what the same link carries without them.
  .filter(({ name }) => !name.includes("sockets"))
  .flatMap((link) =>
    revisions.flatMap(({ id: revision }) => {
      const can = abilitiesOf(link, revision);
      return can === undefined ? [] : [{ link, revision, canAsk: can.has("ask") }];
    }),
  );

describe("every link and every revision", () => {
  it("give one outcome for any server and any calls [M-MRTR-030] [OLEG-008] [OLEG-012] [M-VER-004]", async () => {
    let compared = 0;
    const plans = fc.array(operations, { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(definitions, plans, async (definition, plan) => {
        const asks = definition.tools.some(({ does }) => does === "asks");
        let expected: JsonObject | undefined;
        for (const { link, revision, canAsk } of cases.filter((each) => each.canAsk || !asks)) {
          const where = `${link.name}, ${revision}`;
          const got = await within(runOver(link, revision, definition, plan), where);
          expected ??= got;
          assert.deepEqual(got, expected, `${where}${canAsk ? "" : ", which cannot ask"}`);
          compared += 1;
        }
      }),
      { numRuns: 40, seed: 11 },
    );
    assert.equal(compared > 300, true, `only ${compared} were compared`);
  });
});
