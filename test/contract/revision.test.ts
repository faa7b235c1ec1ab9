// Every revision against its official schema: full examples of the neutral model, encoded for a peer of that revision,
// must be valid there and use no word that came later or went earlier. The scenarios in e2e/ hold real traffic to the
// same.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "parley-mcp";
import { encodeStateless } from "../../src/client/requests/stateless-call.ts";
import { handshakeRevisions, statelessRevisions } from "../../src/revision/registry.ts";
import type { Revision } from "../../src/revision/revision.ts";
import { officialSchema, skipSchemas } from "../fixtures/official-schema.ts";
import {
  notificationParams,
  requestParams,
  results,
  statelessNotificationParams,
  statelessRequestParams,
  statelessResults,
} from "./wire-examples.ts";

type Examples = { readonly [method: string]: readonly object[] };

/**
 * The part of an example that a revision has a way to say. The rest is never asked of such a peer, because it cannot
 * have declared it; the scenarios of sampling and elicitation prove that.
 */
function sayable(revision: Revision, value: unknown): unknown {
  if (revision.id >= "2025-11-25") {
    return value;
  }
  if (Array.isArray(value)) {
    return value.filter((item) => !toolBlocks.has(item?.type)).map((item) => sayable(revision, item));
  }
  if (typeof value !== "object" || value === null) {
    return value;
  }
  const members = Object.entries(value).filter(([name]) => !multipleChoices.has(name));
  return Object.fromEntries(members.map(([name, member]) => [name, sayable(revision, member)]));
}

const toolBlocks = new Set(["tool_use", "tool_result"]);
/** The fields of the example form that take several values. */
const multipleChoices = new Set(["many", "titledMany"]);

function examplesFor(revision: Revision, method: string, examples: readonly object[]): JsonObject[] {
  const isPage = (params: JsonObject): boolean => method === "elicitation/create" && params.mode === "url";
  return examples
    .map((example) => sayable(revision, example) as JsonObject)
    .filter((params) => revision.id >= "2025-11-25" || !isPage(params));
}

function speaks(revision: Revision, method: string): boolean {
  return revision.has(method, "server") || revision.has(method, "client");
}

for (const revision of handshakeRevisions) {
  describe(`revision ${revision.id} on the wire`, { skip: skipSchemas }, () => {
    const schema = skipSchemas === false ? officialSchema(revision.id) : undefined;

    it("has the methods that its schema has, and no others [LIFE-017]", () => {
      const methods = [...Object.keys(requestParams), ...Object.keys(notificationParams)];
      for (const method of methods) {
        assert.equal(speaks(revision, method), schema?.has(method), method);
      }
    });

    for (const [method, examples] of Object.entries({ ...requestParams, ...notificationParams } as Examples)) {
      if (speaks(revision, method)) {
        it(`sends ${method} in its own words only [LIFE-017] [BASE-020] [OLEG-012] [OLEG-014] [O24-021] [O0618-012] [O0618-014]`, () => {
          for (const example of examplesFor(revision, method, examples)) {
            const params = revision.encodeParams(method, example);
            const isRequest = method in requestParams;
            const message = {
              jsonrpc: "2.0",
              ...(isRequest ? { id: 1 } : undefined),
              method,
              ...(params && { params }),
            };
            assert.deepEqual(schema?.faultsOf(message), []);
          }
        });
      }
    }

    for (const [method, examples] of Object.entries(results as unknown as Examples)) {
      const name = schema?.resultName(method);
      if (speaks(revision, method) && name !== undefined) {
        it(`answers ${method} in its own words only [LIFE-017] [BASE-008] [OLEG-005] [OLEG-014] [O24-019] [O0326-016] [O0618-012]`, () => {
          for (const example of examplesFor(revision, method, examples)) {
            const result = revision.encodeResult(method, example);
            assert.deepEqual(schema?.faultsOfValue(name, result), []);
            const newer = { ...example, resultType: "complete", ttlMs: 5, cacheScope: "public" };
            assert.deepEqual(revision.encodeResult(method, newer), result);
          }
        });
      }
    }

    it("sends structured results and their schemas only as far as it has them; the text remains [OLEG-005] [OLEG-009] [O0618-005]", () => {
      const content = [{ type: "text", text: "[1]" }];
      for (const structuredContent of [[1], null, "text", 0, false]) {
        const result = revision.encodeResult("tools/call", { content, structuredContent });
        assert.deepEqual(result, { content });
      }
      const tool = { name: "t", inputSchema: { type: "object" } };
      for (const outputSchema of [{ type: "array" }, { anyOf: [] }]) {
        const result = revision.encodeResult("tools/list", { tools: [{ ...tool, outputSchema }] });
        assert.deepEqual(result, { tools: [tool] });
      }
    });
  });
}

/** What a client says about itself, in the widest case. */
const identity = {
  info: { name: "n", version: "1", title: "N", description: "d", websiteUrl: "https://a.example" },
  capabilities: {
    experimental: { a: {} },
    extensions: { "com.example/a": {} },
    roots: { listChanged: true },
    sampling: { context: {}, tools: {} },
    elicitation: { form: {}, url: {} },
  },
};

/** Words of the tasks of earlier revisions, and of pages that a server names: no author can bring them in. */
const gone = new Set(["task", "tasks", "execution", "elicitationId"]);

function withoutGone(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(withoutGone);
  }
  return typeof value === "object" && value !== null
    ? Object.fromEntries(
        Object.entries(value)
          .filter(([name]) => !gone.has(name))
          .map(([name, member]) => [name, withoutGone(member)]),
      )
    : value;
}

/** What the extension of tasks adds, which the schema of the protocol itself does not know. */
const ofTheExtension: ReadonlySet<string> = new Set([
  "tasks/get",
  "tasks/update",
  "tasks/cancel",
  "notifications/tasks",
]);

for (const revision of statelessRevisions) {
  describe(`revision ${revision.id} on the wire`, { skip: skipSchemas }, () => {
    const schema = skipSchemas === false ? officialSchema(revision.id) : undefined;
    const requests = { ...requestParams, ...statelessRequestParams } as Examples;
    const notifications = { ...notificationParams, ...statelessNotificationParams } as Examples;
    const answers = { ...results, ...statelessResults } as unknown as Examples;
    const tell = (method: string, params: JsonObject | undefined) => ({
      jsonrpc: "2.0",
      method,
      ...(params && { params }),
    });

    it("has the methods that its schema has, and no others [M-BASE-015] [M-BASE-016]", () => {
      for (const method of [...Object.keys(requests), ...Object.keys(notifications)]) {
        assert.equal(speaks(revision, method), schema?.has(method) === true || ofTheExtension.has(method), method);
      }
    });

    const isOfProtocol = ([method]: [string, unknown]): boolean =>
      speaks(revision, method) && !ofTheExtension.has(method);

    for (const [method, examples] of Object.entries(requests).filter(isOfProtocol)) {
      it(`sends ${method} with its metadata and in its own words only [M-META-001] [M-META-002] [M-BASE-014] [OLEG-014]`, () => {
        for (const example of examples) {
          const message = { id: 1, ...encode(method, withoutGone(example) as JsonObject) };
          assert.deepEqual(schema?.faultsOf(message), []);
        }
      });
    }

    it("sends its metadata also where there are no other params [M-BASE-014]", () => {
      for (const method of ["server/discover", "tools/list", "prompts/list", "resources/list"]) {
        assert.deepEqual(schema?.faultsOf({ id: 1, ...encode(method, undefined) }), []);
      }
    });

    function encode(method: string, params: JsonObject | undefined) {
      return tell(method, encodeStateless({ method, params }, revision, identity, "info").params);
    }

    for (const [method, examples] of Object.entries(notifications).filter(isOfProtocol)) {
      it(`sends ${method} in its own words only [OLEG-014]`, () => {
        for (const example of examples) {
          assert.deepEqual(schema?.faultsOf(tell(method, revision.encodeParams(method, example as JsonObject))), []);
        }
      });
    }

    for (const [method, examples] of Object.entries(answers).filter(isOfProtocol)) {
      it(`answers ${method} in its own words only [M-BASE-004] [M-CACHE-001] [OLEG-014]`, () => {
        for (const example of examples) {
          const result = revision.encodeResult(method, withoutGone(example) as JsonObject);
          assert.deepEqual(schema?.faultsOfValue(schema.resultName(method) ?? "none", result), []);
        }
      });
    }

    for (const method of ["elicitation/create", "sampling/createMessage", "roots/list"]) {
      it(`asks ${method} inside a result, and answers it, in its own words only [M-MRTR-003] [M-MRTR-021] [M-ELIC-002]`, () => {
        for (const example of requests[method] ?? []) {
          const params = revision.encodeParams(method, withoutGone(example) as JsonObject);
          const result = revision.encodeResult("tools/call", {
            resultType: "input_required",
            inputRequests: { a: { method, ...(params && { params }) } },
            requestState: "s",
          });
          assert.deepEqual(schema?.faultsOfValue("InputRequiredResult", result), []);
        }
        for (const answer of answers[method] ?? []) {
          const inputResponses = { a: withoutGone(answer) };
          const message = { id: 1, ...encode("tools/call", { name: "t", inputResponses, requestState: "s" }) };
          assert.deepEqual(schema?.faultsOf(message), []);
        }
      });
    }
  });
}

describe("the check against the official schemas", { skip: skipSchemas }, () => {
  it("notices later words, wrong values and missing members, wherever they are", () => {
    const oldest = officialSchema("2024-11-05");
    const tool = { name: "t", inputSchema: { type: "object", additionalProperties: false } };
    assert.deepEqual(oldest.faultsOfValue("ListToolsResult", { tools: [tool], _meta: { any: 1 } }), []);
    assert.equal(oldest.faultsOfValue("ListToolsResult", { tools: [{ ...tool, title: "T" }] }).length, 1);
    assert.equal(oldest.faultsOfValue("ListToolsResult", { tools: [tool], ttl: 1 }).length, 1);
    assert.equal(oldest.faultsOfValue("ListToolsResult", { tools: [{ name: "t" }] }).length, 1);
    const text = { type: "text", text: "t" };
    assert.deepEqual(oldest.faultsOfValue("CallToolResult", { content: [text] }), []);
    assert.equal(oldest.faultsOfValue("CallToolResult", { content: [{ ...text, _meta: {} }] }).length, 0);
    assert.equal(oldest.faultsOfValue("CallToolResult", { content: [{ ...text, icons: [] }] }).length, 1);
    const stateless = { _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28" } };
    assert.equal(oldest.faultsOf({ jsonrpc: "2.0", id: 1, method: "ping", params: stateless }).length, 1);
    assert.equal(oldest.faultsOf({ jsonrpc: "2.0", id: 1, error: { code: -32_022, message: "m" } }).length, 1);
    const newest = officialSchema("2026-07-28");
    assert.equal(newest.faultsOf({ jsonrpc: "2.0", id: 1, error: { code: -32_002, message: "m" } }).length, 1);
    assert.equal(newest.faultsOf({ jsonrpc: "2.0", id: 1, result: {} }).length, 1);
    assert.equal(newest.faultsOf({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} }).length > 0, true);
    const asking = (params: object) => ({
      resultType: "input_required",
      inputRequests: { a: { method: "elicitation/create", params } },
    });
    const page = { mode: "url", message: "m", url: "https://a.example" };
    assert.deepEqual(newest.faultsOfValue("InputRequiredResult", asking(page)), []);
    assert.equal(newest.faultsOfValue("InputRequiredResult", asking({ ...page, elicitationId: "1" })).length, 1);
    assert.equal(oldest.faultsOf({ jsonrpc: "2.0", id: 1, method: "ping", extra: 1 } as never).length, 1);
    assert.equal(oldest.faultsOf({ jsonrpc: "2.0", id: null, method: "ping" }).length > 0, true);
    assert.equal(oldest.faultsOf({ jsonrpc: "2.0", id: 1, error: { code: 1.5, message: "m" } }).length, 1);
  });
});
