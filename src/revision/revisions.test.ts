import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../jsonrpc/message.ts";
import { MissingCapabilityError, UnsupportedRevisionError } from "../protocol/errors.ts";
import { acceptRevision, chooseRevision, readClientCapabilities, readServerCapabilities } from "./negotiate.ts";
import { assumedHttpRevision, findHandshake, handshakeRevisions, latestHandshake } from "./registry.ts";
import type { Revision } from "./revision.ts";

function revision(id: string): Revision {
  const found = findHandshake(id);
  assert.ok(found, id);
  return found;
}

const older = ["2024-11-05", "2025-03-26", "2025-06-18"].map(revision);

describe("findHandshake", () => {
  it("knows the four revisions that begin with a handshake, by exact string", () => {
    assert.deepEqual(
      handshakeRevisions.map((known) => known.id),
      ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"],
    );
    assert.equal(findHandshake("2025-6-18"), undefined);
    assert.equal(assumedHttpRevision.id, "2025-03-26");
  });
});

describe("chooseRevision", () => {
  it("answers the requested revision when it is spoken, else the newest [LIFE-013] [LIFE-014]", () => {
    for (const known of handshakeRevisions) {
      assert.equal(chooseRevision(known.id), known);
    }
    assert.equal(chooseRevision("1999-01-01")?.id, "2025-11-25");
    assert.equal(chooseRevision("2025-11-25", ["2026-07-28", "2025-03-26"])?.id, "2025-03-26");
    assert.equal(chooseRevision("2025-11-25", ["2026-07-28"]), undefined);
  });
});

describe("acceptRevision", () => {
  it("takes any revision that is spoken and refuses others with the list [LIFE-015] [LIFE-027]", () => {
    assert.equal(acceptRevision("2024-11-05", latestHandshake).id, "2024-11-05");
    assert.throws(
      () => acceptRevision("1.0.0", latestHandshake),
      (error) =>
        error instanceof UnsupportedRevisionError && error.requested === "1.0.0" && error.supported.length === 4,
    );
  });
});

describe("Revision", () => {
  it("says which methods exist, by who receives them", () => {
    assert.equal(revision("2025-03-26").has("elicitation/create", "client"), false);
    assert.equal(revision("2025-06-18").has("elicitation/create", "client"), true);
    assert.equal(revision("2025-06-18").has("tasks/get", "server"), false);
    assert.equal(latestHandshake.has("tools/list", "server"), true);
    assert.equal(latestHandshake.has("tools/list", "client"), false);
  });

  it("differs from the one before by the traits it flipped", () => {
    const trait = (name: keyof Revision["traits"]) =>
      [...handshakeRevisions].reverse().map((known) => known.traits[name]);
    assert.deepEqual(trait("batching"), [false, true, false, false]);
    assert.deepEqual(trait("versionHeader"), [false, false, true, true]);
    assert.deepEqual(trait("polling"), [false, false, false, true]);
  });

  it("leaves messages of the newest revision as they are", () => {
    const result = { tools: [{ name: "a", inputSchema: { type: "object" }, icons: [], execution: {} }] };
    assert.equal(latestHandshake.encodeResult("tools/list", result), result);
  });

  it("sends older peers no word of a later revision [LIFE-017]", () => {
    const tool = {
      name: "a",
      title: "A",
      inputSchema: { type: "object" },
      outputSchema: { type: "object" },
      annotations: { readOnlyHint: true },
      icons: [],
      execution: { taskSupport: "optional" },
      _meta: {},
    };
    const members = older.map((known) => {
      const { tools } = known.encodeResult("tools/list", { tools: [tool] });
      return Object.keys((tools as JsonObject[])[0] ?? {});
    });
    assert.deepEqual(members, [
      ["name", "inputSchema"],
      ["name", "inputSchema", "annotations"],
      ["name", "title", "inputSchema", "outputSchema", "annotations", "_meta"],
    ]);
  });

  it("replaces content that an older peer does not know by a text that says so [LIFE-017]", () => {
    const content = [
      { type: "audio", data: "", mimeType: "audio/wav", _meta: {} },
      { type: "resource_link", name: "readme", uri: "file:///readme", icons: [] },
      { type: "text", text: "plain" },
    ];
    const types = older.map((known) =>
      (known.encodeResult("tools/call", { content, structuredContent: {} }).content as JsonObject[]).map(
        (block) => block.type,
      ),
    );
    assert.deepEqual(types, [
      ["text", "text", "text"],
      ["audio", "text", "text"],
      ["audio", "resource_link", "text"],
    ]);
    const oldest = revision("2024-11-05").encodeResult("tools/call", { content, structuredContent: {} });
    assert.equal("structuredContent" in oldest, false);
    assert.deepEqual((oldest.content as JsonObject[])[1], { type: "text", text: "[resource readme: file:///readme]" });
  });

  it("writes forms the older way and refuses what cannot be asked [LIFE-017]", () => {
    const field = { type: "string", oneOf: [{ const: "r", title: "Red" }], default: "r" };
    const params = {
      mode: "form",
      message: "which?",
      requestedSchema: { type: "object", properties: { colour: field, sure: { type: "boolean", default: true } } },
    };
    assert.deepEqual(revision("2025-06-18").encodeParams("elicitation/create", params), {
      message: "which?",
      requestedSchema: {
        type: "object",
        properties: {
          colour: { type: "string", enum: ["r"], enumNames: ["Red"] },
          sure: { type: "boolean", default: true },
        },
      },
    });
    const many = { ...params, requestedSchema: { type: "object", properties: { tags: { type: "array" } } } };
    assert.throws(() => revision("2025-06-18").encodeParams("elicitation/create", many), MissingCapabilityError);
  });

  it("makes one message per block of a sampling request, and one block of a result [LIFE-017]", () => {
    const blocks = [
      { type: "text", text: "a" },
      { type: "text", text: "b" },
    ];
    const known = revision("2025-06-18");
    const request = known.encodeParams("sampling/createMessage", {
      messages: [{ role: "user", content: blocks }],
      maxTokens: 5,
      tools: [],
    });
    assert.deepEqual(request, {
      messages: [
        { role: "user", content: blocks[0] },
        { role: "user", content: blocks[1] },
      ],
      maxTokens: 5,
    });
    const result = known.encodeResult("sampling/createMessage", { role: "assistant", model: "m", content: blocks });
    assert.deepEqual(result.content, { type: "text", text: "a\nb" });
  });
});

describe("readClientCapabilities", () => {
  const params = {
    clientInfo: { name: "c", version: "1" },
    capabilities: {
      sampling: { tools: {} },
      elicitation: { form: {}, url: {} },
      tasks: {},
      roots: {},
      experimental: {},
    },
  };

  it("counts no feature that came after the negotiated revision [LIFE-017] [LIFE-018]", () => {
    assert.deepEqual(readClientCapabilities(revision("2025-06-18"), params), {
      sampling: {},
      elicitation: {},
      roots: {},
      experimental: {},
    });
    assert.deepEqual(readClientCapabilities(revision("2024-11-05"), params), {
      sampling: {},
      roots: {},
      experimental: {},
    });
    assert.deepEqual(readClientCapabilities(latestHandshake, params), params.capabilities);
  });
});

describe("readServerCapabilities", () => {
  it("lets completion be tried where a revision had no word for it [LIFE-018]", () => {
    const result = { capabilities: { tools: {}, tasks: {} } };
    assert.deepEqual(readServerCapabilities(revision("2024-11-05"), result), { tools: {}, completions: {} });
    assert.deepEqual(readServerCapabilities(revision("2025-03-26"), result), { tools: {} });
  });
});
