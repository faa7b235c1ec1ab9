// What a server publishes describes what it sends: an independent validator agrees with every accepted result.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import fc from "fast-check";
import { connect } from "parley-mcp/connect";
import { defineServer, tool } from "parley-mcp/server";
import { z } from "zod";

const output = z.object({
  id: z.number().int(),
  name: z.string().max(20),
  tags: z.array(z.string()).default([]),
  size: z.number().min(0).optional(),
  kind: z.discriminatedUnion("type", [
    z.object({ type: z.literal("file"), bytes: z.number().int().nonnegative() }),
    z.object({ type: z.literal("folder"), entries: z.record(z.string(), z.boolean()).default({}) }),
  ]),
});

/** Values around the schema: right ones, with and without defaults, with members nobody asked for, and wrong ones. */
const candidates = fc.record(
  {
    id: fc.oneof(fc.integer(), fc.double()),
    name: fc.string({ maxLength: 30 }),
    tags: fc.array(fc.string()),
    size: fc.oneof(fc.double({ noNaN: true }), fc.constant("large")),
    kind: fc.oneof(
      fc.record({ type: fc.constant("file"), bytes: fc.integer() }),
      fc.record(
        { type: fc.constant("folder"), entries: fc.dictionary(fc.string(), fc.boolean()) },
        { requiredKeys: ["type"] },
      ),
    ),
    extra: fc.anything({ maxDepth: 1, withNullPrototype: false }).map(String),
  },
  { requiredKeys: ["id", "name", "kind"] },
);

describe("published output schemas", () => {
  it("fit every result that the server accepted, for an independent validator [PP-056] [TOOL-015] [TOOL-016]", async () => {
    let next: unknown;
    const app = defineServer({
      name: "demo",
      version: "1.0.0",
      tools: { give: tool({ description: "Gives what the test says", output }, () => next as never) },
    });
    const client = await connect(app);
    const [listed] = await client.listTools().all();
    const ajv = new Ajv2020({ strict: false });
    addFormats.default(ajv);
    const validate = ajv.compile(listed?.outputSchema ?? {});
    let accepted = 0;
    await fc.assert(
      fc.asyncProperty(candidates, async (candidate) => {
        next = candidate;
        const { isError, structuredContent, content } = await client.callTool("give", {});
        assert.equal(isError === true, !output.safeParse(candidate).success);
        if (isError !== true) {
          accepted += 1;
          assert.ok(validate(structuredContent), ajv.errorsText(validate.errors));
          const block = content[0];
          assert.deepEqual(JSON.parse(block?.type === "text" ? block.text : ""), structuredContent);
        }
      }),
      { numRuns: 500, seed: 7 },
    );
    assert.ok(accepted > 20, `${accepted} of 500 were accepted`);
    await client.close();
  });
});
