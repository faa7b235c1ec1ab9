import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  capabilityPaths,
  hasClientCapability,
  hasServerCapability,
  missingClientCapabilities,
  requiredClientCapability,
  requiredServerCapability,
} from "./capabilities.ts";
import type { ServerCapabilities } from "./types/lifecycle.ts";

describe("requiredServerCapability", () => {
  it("names the capability behind a method", () => {
    assert.equal(requiredServerCapability("tools/call"), "tools");
    assert.equal(requiredServerCapability("resources/subscribe"), "resources.subscribe");
    assert.equal(requiredServerCapability("completion/complete"), "completions");
    assert.equal(requiredServerCapability("notifications/prompts/list_changed"), "prompts.listChanged");
    assert.equal(requiredServerCapability("ping"), undefined);
    assert.equal(requiredServerCapability("constructor"), undefined);
  });
});

describe("requiredClientCapability", () => {
  it("asks for sampling.tools when tools or a tool choice are sent [SAMP-003] [SAMP-004]", () => {
    assert.deepEqual(requiredClientCapability("sampling/createMessage", {}), { sampling: {} });
    assert.deepEqual(requiredClientCapability("sampling/createMessage", { tools: [] }), { sampling: { tools: {} } });
    assert.deepEqual(requiredClientCapability("sampling/createMessage", { toolChoice: { mode: "none" } }), {
      sampling: { tools: {} },
    });
  });

  it("asks for sampling.context only when context is wanted [SAMP-005]", () => {
    const contextual = { sampling: { context: {} } };
    assert.deepEqual(requiredClientCapability("sampling/createMessage", { includeContext: "thisServer" }), contextual);
    assert.deepEqual(requiredClientCapability("sampling/createMessage", { includeContext: "allServers" }), contextual);
    assert.deepEqual(requiredClientCapability("sampling/createMessage", { includeContext: "none" }), { sampling: {} });
  });

  it("asks for the mode of an elicitation, which is form when absent [ELIC-002] [ELIC-005]", () => {
    assert.deepEqual(requiredClientCapability("elicitation/create", { mode: "url" }), { elicitation: { url: {} } });
    assert.deepEqual(requiredClientCapability("elicitation/create", {}), { elicitation: { form: {} } });
  });

  it("asks for nothing where nothing is needed", () => {
    assert.equal(requiredClientCapability("ping"), undefined);
    assert.deepEqual(requiredClientCapability("roots/list"), { roots: {} });
  });
});

describe("requiredClientCapability for tool content", () => {
  it("needs sampling.tools for tool blocks in the messages, also without tools beside them [SAMP-003]", () => {
    const use = { type: "tool_use", id: "1", name: "t", input: {} };
    const text = { type: "text", text: "hi" };
    const needs = (content: unknown): unknown =>
      requiredClientCapability("sampling/createMessage", { messages: [{ role: "assistant", content }], maxTokens: 1 });
    assert.deepEqual(needs(use), { sampling: { tools: {} } });
    assert.deepEqual(needs([text, { type: "tool_result", toolUseId: "1", content: [] }]), { sampling: { tools: {} } });
    assert.deepEqual(needs([text]), { sampling: {} });
  });
});

describe("missingClientCapabilities", () => {
  it("reads an empty elicitation capability as form mode only [ELIC-001]", () => {
    assert.equal(missingClientCapabilities({ elicitation: { form: {} } }, { elicitation: {} }), undefined);
    assert.deepEqual(missingClientCapabilities({ elicitation: { url: {} } }, { elicitation: {} }), {
      elicitation: { url: {} },
    });
    assert.deepEqual(missingClientCapabilities({ elicitation: { form: {} } }, { elicitation: { url: {} } }), {
      elicitation: { form: {} },
    });
  });

  it("gives back only what lacks", () => {
    assert.deepEqual(missingClientCapabilities({ sampling: { tools: {}, context: {} } }, { sampling: { tools: {} } }), {
      sampling: { context: {} },
    });
    assert.deepEqual(missingClientCapabilities({ sampling: { tools: {} } }, {}), { sampling: { tools: {} } });
    assert.equal(missingClientCapabilities({ roots: {} }, { roots: { listChanged: false } }), undefined);
    assert.deepEqual(missingClientCapabilities({ roots: { listChanged: true } }, { roots: {} }), {
      roots: { listChanged: true },
    });
  });
});

describe("hasServerCapability", () => {
  it("counts objects and true as declared, false and absence as not", () => {
    const declared: ServerCapabilities = { logging: {}, resources: { subscribe: true, listChanged: false } };
    assert.equal(hasServerCapability(declared, "logging"), true);
    assert.equal(hasServerCapability(declared, "resources.subscribe"), true);
    assert.equal(hasServerCapability(declared, "resources.listChanged"), false);
    assert.equal(hasServerCapability(declared, "tools"), false);
    assert.equal(hasServerCapability(declared, "constructor.name"), false);
  });
});

describe("hasClientCapability", () => {
  it("sees form mode in an empty elicitation capability [ELIC-001]", () => {
    assert.equal(hasClientCapability({ elicitation: {} }, "elicitation.form"), true);
    assert.equal(hasClientCapability({ elicitation: {} }, "elicitation.url"), false);
    assert.equal(hasClientCapability({ elicitation: { url: {} } }, "elicitation.form"), false);
  });
});

describe("capabilityPaths", () => {
  it("names the leaves", () => {
    assert.deepEqual(capabilityPaths({ sampling: { tools: {}, context: {} }, roots: {} }), [
      "sampling.tools",
      "sampling.context",
      "roots",
    ]);
  });
});
