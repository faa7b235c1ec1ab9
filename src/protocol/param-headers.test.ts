import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { checkParamHeaders, toParamHeaders } from "./param-headers.ts";
import { type HeaderAnnotation, readHeaderAnnotations } from "./tool-headers.ts";

const region: HeaderAnnotation = { name: "Region", path: ["region"], type: "string" };
const limit: HeaderAnnotation = { name: "Limit", path: ["page", "limit"], type: "integer" };
const dry: HeaderAnnotation = { name: "Method", path: ["dry"], type: "boolean" };
const all = [region, limit, dry];

function headersOf(
  annotations: readonly HeaderAnnotation[],
  args: { [name: string]: unknown } | undefined,
): { readonly [name: string]: string } {
  const result = toParamHeaders(annotations, args);
  assert.ok(result.ok, JSON.stringify(result));
  return result.headers;
}

function check(
  annotations: readonly HeaderAnnotation[],
  args: { [name: string]: unknown } | undefined,
  headers: { readonly [name: string]: string },
): string | undefined {
  const received = new Headers(headers);
  return checkParamHeaders(annotations, args, (name) => received.get(name) ?? undefined);
}

describe("toParamHeaders", () => {
  it("mirrors annotated arguments and no others [M-HDR-010] [M-HDR-011]", () => {
    const args = { region: "us-west1", page: { limit: 42 }, dry: true, query: "SELECT 1" };
    assert.deepEqual(headersOf(all, args), {
      "mcp-param-region": "us-west1",
      "mcp-param-limit": "42",
      "mcp-param-method": "true",
    });
    assert.deepEqual(headersOf([], args), {});
  });

  it("keeps the empty text and false apart from no value [M-HDR-010]", () => {
    assert.deepEqual(headersOf(all, { region: "", page: { limit: 0 }, dry: false }), {
      "mcp-param-region": "",
      "mcp-param-limit": "0",
      "mcp-param-method": "false",
    });
  });

  it("encodes what a header cannot hold [M-HDR-006]", () => {
    assert.deepEqual(headersOf([region], { region: "a\r\nX: y" }), { "mcp-param-region": "=?base64?YQ0KWDogeQ==?=" });
  });

  it("leaves the header out for a missing or null value and a missing parent [M-HDR-018]", () => {
    for (const args of [undefined, {}, { page: {} }, { page: { limit: null }, region: null }, { page: null }]) {
      assert.deepEqual(headersOf(all, args), {});
    }
  });

  it("reads at the exact path only [M-HDR-018]", () => {
    assert.deepEqual(headersOf([limit], { limit: 1, "page.limit": 2, page: [{ limit: 3 }] }), {});
    assert.deepEqual(headersOf([{ ...region, path: ["toString"] }], {}), {});
    assert.deepEqual(headersOf([{ ...region, path: ["__proto__", "x"] }], JSON.parse('{"__proto__": {"x": "y"}}')), {
      "mcp-param-region": "y",
    });
  });

  it("refuses the call for an integer beyond 2^53 - 1 and says which argument it is [M-HDR-013]", () => {
    assert.deepEqual(toParamHeaders(all, { page: { limit: 2 ** 53 } }), {
      ok: false,
      problem:
        "params.arguments.page.limit: expected an integer from -(2^53 - 1) to 2^53 - 1, got 9007199254740992, " +
        "for Mcp-Param-Limit",
    });
    assert.deepEqual(headersOf([limit], { page: { limit: -Number.MAX_SAFE_INTEGER } }), {
      "mcp-param-limit": "-9007199254740991",
    });
  });

  it("leaves values of the wrong kind to the validation of the arguments", () => {
    for (const value of [1.5, {}, ["a"], [], { a: 1 }]) {
      assert.deepEqual(headersOf([region], { region: value }), {});
    }
    assert.deepEqual(headersOf([region], { region: 5 }), { "mcp-param-region": "5" });
  });
});

describe("checkParamHeaders", () => {
  const args = { region: "eu", page: { limit: 42 } };
  const right = { "mcp-param-region": "eu", "mcp-param-limit": "42" };

  it("takes headers that say what the arguments say, whatever the case of their names [M-HDR-004]", () => {
    assert.equal(check(all, args, right), undefined);
    assert.equal(check(all, args, { "MCP-PARAM-region": " eu ", "Mcp-Param-Limit": "=?base64?NDI=?=" }), undefined);
  });

  it("refuses a header that is missing or different [M-HDR-020]", () => {
    assert.equal(
      check(all, args, { "mcp-param-limit": "42" }),
      'Mcp-Param-Region: expected "eu", as params.arguments.region says, got no such header; ' +
        "read tools/list again and send the header that it asks for",
    );
    assert.match(check(all, args, { ...right, "mcp-param-region": "EU" }) ?? "", /^Mcp-Param-Region: .*, got "EU";/);
    assert.match(check(all, args, { ...right, "mcp-param-limit": "41" }) ?? "", /^Mcp-Param-Limit: .*page\.limit/);
    assert.notEqual(check([region], { region: "" }, {}), undefined);
    assert.equal(check([region], { region: "" }, { "mcp-param-region": "" }), undefined);
  });

  it("refuses broken Base64 and characters no header has [M-HDR-009]", () => {
    assert.notEqual(check([region], { region: "Hello" }, { "mcp-param-region": "=?base64?SGVsbG8?=" }), undefined);
    assert.notEqual(check([region], { region: "Hello" }, { "mcp-param-region": "=?base64?SGVs!!!bG8=?=" }), undefined);
    assert.equal(check([region], { region: "Hello" }, { "mcp-param-region": "=?base64?SGVsbG8=?=" }), undefined);
    assert.match(check([region], { region: "é" }, { "mcp-param-region": "é" }) ?? "", /expected visible ASCII/);
  });

  it("takes what only half looks encoded as it is written [M-HDR-008]", () => {
    for (const literal of ["=?base64?SGVsbG8=", "SGVsbG8=", "=?BASE64?eA==?="]) {
      assert.equal(check([region], { region: literal }, { "mcp-param-region": literal }), undefined);
    }
    assert.notEqual(check([region], { region: "x" }, { "mcp-param-region": "=?BASE64?eA==?=" }), undefined);
  });

  it("expects no header for a null or absent value, and refuses one [M-HDR-019]", () => {
    for (const empty of [undefined, {}, { region: null }]) {
      assert.equal(check([region], empty, {}), undefined);
      assert.match(check([region], empty, { "mcp-param-region": "eu" }) ?? "", /expected no such header.*, got "eu"/);
      assert.notEqual(check([region], empty, { "mcp-param-region": "" }), undefined);
    }
  });

  it("compares integers by their number [M-HDR-021]", () => {
    assert.equal(check([limit], { page: { limit: 42 } }, { "mcp-param-limit": "42.0" }), undefined);
  });

  it("refuses an integer beyond 2^53 - 1, also with a header that repeats it [M-HDR-013]", () => {
    assert.match(
      check([limit], { page: { limit: 2 ** 53 } }, { "mcp-param-limit": "9007199254740992" }) ?? "",
      /2\^53/,
    );
  });

  it("does not look at headers that no annotation asks for", () => {
    assert.equal(check([], args, right), undefined);
    assert.equal(check([region], { region: "eu" }, { ...right, "mcp-param-other": "é" }), undefined);
  });
});

describe("toParamHeaders and checkParamHeaders", () => {
  const scalar = fc.oneof(
    fc.record({ type: fc.constant("string"), value: fc.string({ unit: "binary" }) }),
    fc.record({ type: fc.constant("integer"), value: fc.maxSafeInteger() }),
    fc.record({ type: fc.constant("boolean"), value: fc.boolean() }),
    fc.record({ type: fc.constant(["null", "string"]), value: fc.constant(null) }),
  );
  /** A tree of arguments: members are values with their type, or further members. */
  const { members } = fc.letrec((tie) => ({
    members: fc.dictionary(fc.string(), fc.oneof({ maxDepth: 3 }, scalar, fc.record({ members: tie("members") })), {
      maxKeys: 4,
    }),
  }));

  /** The tree as a schema that annotates every value, and as the arguments that fit it. */
  function unfold(tree: object, next: { count: number }): { schema: object; args: { [name: string]: unknown } } {
    const parts = Object.entries(tree).map(([name, part]) => {
      if ("members" in part) {
        const { schema, args } = unfold(part.members, next);
        return { name, schema, value: args };
      }
      next.count += 1;
      return { name, schema: { type: part.type, "x-mcp-header": `H${next.count}` }, value: part.value };
    });
    return {
      schema: { type: "object", properties: Object.fromEntries(parts.map(({ name, schema }) => [name, schema])) },
      args: Object.fromEntries(parts.map(({ name, value }) => [name, value])),
    };
  }

  it("agree on any schema and any arguments, and notice any header that changes [M-HDR-018] [M-HDR-020]", () => {
    fc.assert(
      fc.property(members, (tree) => {
        const { schema, args } = unfold(tree as object, { count: 0 });
        const read = readHeaderAnnotations(schema);
        assert.ok(read.ok);
        const headers = headersOf(read.annotations, args);
        assert.equal(check(read.annotations, args, headers), undefined);
        for (const [name, value] of Object.entries(headers)) {
          const others = Object.fromEntries(Object.entries(headers).filter(([other]) => other !== name));
          assert.notEqual(check(read.annotations, args, others), undefined);
          assert.notEqual(check(read.annotations, args, { ...headers, [name]: `${value}1` }), undefined);
        }
      }),
    );
  });
});
