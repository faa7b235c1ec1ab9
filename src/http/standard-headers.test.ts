import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { JsonRpcErrorObject } from "../jsonrpc/message.ts";
import { readEnvelope, withEnvelope } from "../protocol/envelope.ts";
import { checkStandardHeaders, toStandardHeaders } from "./standard-headers.ts";

const revision = "2026-07-28";
const envelope = { protocolVersion: revision, clientCapabilities: {} };

type Params = { [name: string]: unknown };
type HeaderMap = { readonly [name: string]: string };

function headersOf(method: string, params?: Params): HeaderMap {
  const result = toStandardHeaders(method, params);
  assert.ok(result.ok, JSON.stringify(result));
  return result.headers;
}

function check(method: string, params: Params | undefined, headers: HeaderMap): JsonRpcErrorObject | undefined {
  const received = new Headers(headers);
  return checkStandardHeaders(
    { jsonrpc: "2.0", id: 1, method, ...(params === undefined ? undefined : { params }) },
    {
      header: (name) => received.get(name) ?? undefined,
      envelope: readEnvelope(params),
      supported: [revision],
    },
  );
}

function without(headers: HeaderMap, name: string): HeaderMap {
  return Object.fromEntries(Object.entries(headers).filter(([each]) => each !== name));
}

const call = withEnvelope({ name: "add", arguments: {} }, envelope);
const right = headersOf("tools/call", call);

describe("toStandardHeaders", () => {
  it("repeats the revision of the envelope [M-HTTP-016]", () => {
    assert.equal(headersOf("server/discover", withEnvelope(undefined, envelope))["mcp-protocol-version"], revision);
    assert.deepEqual(headersOf("notifications/x", {}), { "mcp-method": "notifications/x" });
  });

  it("repeats every method [M-HDR-001]", () => {
    for (const method of ["server/discover", "subscriptions/listen", "tools/call", "com.example/own", "toString"]) {
      assert.equal(headersOf(method, withEnvelope({}, envelope))["mcp-method"], method);
    }
  });

  it("repeats what tools/call, prompts/get and resources/read are about, and nothing else [M-HDR-002]", () => {
    const params = { name: "n", uri: "file:///u", taskId: "t" };
    assert.equal(headersOf("tools/call", params)["mcp-name"], "n");
    assert.equal(headersOf("prompts/get", params)["mcp-name"], "n");
    assert.equal(headersOf("resources/read", params)["mcp-name"], "file:///u");
    for (const method of ["tools/list", "completion/complete", "server/discover", "com.example/own", "toString"]) {
      assert.equal("mcp-name" in headersOf(method, params), false, method);
    }
  });

  it("repeats the id of a task [X-TASK-036]", () => {
    for (const method of ["tasks/get", "tasks/update", "tasks/cancel"]) {
      assert.equal(headersOf(method, { taskId: "t-1" })["mcp-name"], "t-1");
    }
  });

  it("encodes a name that a header cannot hold [M-HDR-006] [M-HDR-007]", () => {
    assert.equal(headersOf("tools/call", { name: "世界" })["mcp-name"], "=?base64?5LiW55WM?=");
    assert.equal(headersOf("prompts/get", { name: "a\r\nX: y" })["mcp-name"], "=?base64?YQ0KWDogeQ==?=");
    assert.equal(headersOf("resources/read", { uri: "=?base64?a?=" })["mcp-name"], "=?base64?PT9iYXNlNjQ/YT89?=");
  });

  it("refuses a method and a name that no header can carry", () => {
    for (const method of ["wörter/list", "a\r\nX: y", " tools/list", "=?base64?eA==?="]) {
      assert.deepEqual(toStandardHeaders(method, {}), {
        ok: false,
        problem: `method: expected visible ASCII, for Mcp-Method, got ${JSON.stringify(method)}`,
      });
    }
    const broken = toStandardHeaders("tools/call", { name: "a\ud800" });
    assert.match(broken.ok ? "" : broken.problem, /^params\.name: expected text that UTF-8 can hold.*, for Mcp-Name$/);
  });

  it("leaves out a name that is not there", () => {
    assert.deepEqual(headersOf("tools/call", {}), { "mcp-method": "tools/call" });
    assert.deepEqual(headersOf("tools/call", { name: 5 }), { "mcp-method": "tools/call" });
  });
});

describe("checkStandardHeaders", () => {
  it("takes headers that say what the body says [M-HDR-003]", () => {
    assert.equal(check("tools/call", call, right), undefined);
    const list = withEnvelope({}, envelope);
    assert.equal(check("tools/list", list, headersOf("tools/list", list)), undefined);
  });

  it("ignores the case of header names and the space around values [M-HDR-004]", () => {
    assert.equal(
      check("tools/call", call, {
        "mcp-PROTOCOL-version": ` ${revision}`,
        "mcp-METHOD": "   tools/call  ",
        "MCP-NAME": "\tadd ",
      }),
      undefined,
    );
    // Edges of their own may hand the space through.
    const spaced = { ...right, "mcp-method": "   tools/call  " } as HeaderMap;
    const error = checkStandardHeaders(
      { jsonrpc: "2.0", id: 1, method: "tools/call", params: call },
      { header: (name) => spaced[name], envelope: readEnvelope(call), supported: [revision] },
    );
    assert.equal(error, undefined);
  });

  it("answers -32020 where method or name are missing or differ, also in case [M-HDR-003] [M-HDR-004]", () => {
    for (const headers of [
      without(right, "mcp-method"),
      without(right, "mcp-name"),
      { ...right, "mcp-method": "tools/list" },
      { ...right, "mcp-method": "TOOLS/CALL" },
      { ...right, "mcp-method": "=?base64?dG9vbHMvY2FsbA==?=" },
      { ...right, "mcp-name": "subtract" },
      { ...right, "mcp-name": "Add" },
      { ...right, "mcp-name": "" },
      { ...right, "mcp-name": "add, add" },
    ]) {
      const error = check("tools/call", call, headers);
      assert.equal(error?.code, -32020, JSON.stringify(headers));
      assert.match(error.message, /^Mcp-(?:Method|Name): expected .*, got /);
    }
  });

  it("decodes the name before it compares, and refuses broken Base64 [M-HDR-008] [M-HDR-009]", () => {
    assert.equal(check("tools/call", call, { ...right, "mcp-name": "=?base64?YWRk?=" }), undefined);
    for (const name of ["=?base64?YWR?=", "=?base64?YW!k?=", "=?base64?/w==?=", "=?BASE64?YWRk?="]) {
      assert.equal(check("tools/call", call, { ...right, "mcp-name": name })?.code, -32020, name);
    }
  });

  it("demands no name of methods that are about nothing in particular", () => {
    const list = withEnvelope({}, envelope);
    for (const method of ["tools/list", "com.example/own", "constructor"]) {
      assert.equal(check(method, list, headersOf(method, list)), undefined);
    }
  });

  it("leaves a body without a name to the check of its params, unless a header names one", () => {
    const nameless = withEnvelope({ arguments: {} }, envelope);
    assert.equal(check("tools/call", nameless, headersOf("tools/call", nameless)), undefined);
    assert.equal(check("tools/call", nameless, right)?.code, -32020);
  });

  it("refuses the name of another task [X-TASK-037]", () => {
    const params = withEnvelope({ taskId: "t-1" }, envelope);
    const headers = headersOf("tasks/get", params);
    assert.equal(check("tasks/get", params, headers), undefined);
    assert.equal(check("tasks/get", params, { ...headers, "mcp-name": "t-2" })?.code, -32020);
  });

  it("answers -32020 where the revision in the header is missing [M-HTTP-018]", () => {
    const error = check("tools/call", call, without(right, "mcp-protocol-version"));
    assert.equal(error?.code, -32020);
    assert.match(error.message, /^MCP-Protocol-Version: .*got no such header; send it with every POST$/);
  });

  it("answers -32020 where header and body name different revisions [M-HTTP-017]", () => {
    const error = check("tools/call", call, { ...right, "mcp-protocol-version": "2025-11-25" });
    assert.equal(error?.code, -32020);
    assert.match(error.message, /expected "2026-07-28", as params\._meta says, got "2025-11-25"/);
  });

  it("names the revisions it serves where it does not serve the one asked for [M-ERR-009]", () => {
    const params = withEnvelope({ name: "add" }, { ...envelope, protocolVersion: "1900-01-01" });
    const error = check("tools/call", params, headersOf("tools/call", params));
    assert.equal(error?.code, -32022);
    assert.deepEqual(error.data, { supported: [revision], requested: "1900-01-01" });
  });

  it("demands no header of a notification [M-HDR-005]", () => {
    const context = { header: () => undefined, envelope: readEnvelope(undefined), supported: [revision] };
    const notification = { jsonrpc: "2.0", method: "notifications/com.example" } as const;
    assert.equal(checkStandardHeaders(notification, context), undefined);
    assert.equal(checkStandardHeaders({ ...notification, id: 1 }, context)?.code, -32020);
  });

  it("reports the first fault of several in the fixed order [M-HTTP-019]", () => {
    type Request = { params: Params; headers: HeaderMap };
    const incomplete = { name: "add", _meta: { "io.modelcontextprotocol/protocolVersion": revision } };
    const old = withEnvelope({ name: "add" }, { ...envelope, protocolVersion: "1900-01-01" });
    // In the order of the checks; each breaks one thing and keeps the others as they are.
    const faults: readonly { readonly message: RegExp; readonly code: number; break(from: Request): Request }[] = [
      {
        message: /^MCP-Protocol-Version: .* got no such header/,
        code: -32020,
        break: ({ params, headers }) => ({ params, headers: without(headers, "mcp-protocol-version") }),
      },
      {
        message: /clientCapabilities/,
        code: -32602,
        break: ({ headers }) => ({ params: incomplete, headers }),
      },
      {
        message: /^MCP-Protocol-Version: .*, got "2025-03-26"/,
        code: -32020,
        break: ({ params, headers }) => ({
          params,
          headers: "mcp-protocol-version" in headers ? { ...headers, "mcp-protocol-version": "2025-03-26" } : headers,
        }),
      },
      {
        message: /^unsupported protocol version/,
        code: -32022,
        break: ({ params, headers }) => {
          const asked = headers["mcp-protocol-version"] === revision ? { "mcp-protocol-version": "1900-01-01" } : {};
          return { params: params === incomplete ? params : old, headers: { ...headers, ...asked } };
        },
      },
      {
        message: /^Mcp-Method: /,
        code: -32020,
        break: ({ params, headers }) => ({ params, headers: without(headers, "mcp-method") }),
      },
      {
        message: /^Mcp-Name: /,
        code: -32020,
        break: ({ params, headers }) => ({ params, headers: without(headers, "mcp-name") }),
      },
    ];
    for (let combination = 1; combination < 2 ** faults.length; combination += 1) {
      const chosen = faults.filter((_, index) => (combination & (1 << index)) !== 0);
      const intact: Request = { params: call, headers: right };
      const broken = chosen.reduce((from, fault) => fault.break(from), intact);
      const error = check("tools/call", broken.params, broken.headers);
      assert.equal(error?.code, chosen[0]?.code);
      assert.match(error?.message ?? "", chosen[0]?.message ?? /^$/);
    }
  });

  it("takes whatever toStandardHeaders made of any name [M-HDR-006] [M-HDR-009]", () => {
    const name = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.string().map((text) => ` =?base64?${text}?=`),
    );
    fc.assert(
      fc.property(name, fc.constantFrom("tools/call", "prompts/get", "resources/read"), (text, method) => {
        const params = withEnvelope({ name: text, uri: text }, envelope);
        assert.equal(check(method, params, headersOf(method, params)), undefined);
        const other = withEnvelope({ name: `${text}x`, uri: `${text}x` }, envelope);
        assert.equal(check(method, other, headersOf(method, params))?.code, -32020);
      }),
    );
  });
});
