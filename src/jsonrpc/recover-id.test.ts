import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { recoverId } from "./recover-id.ts";

const filler = JSON.stringify('x\\"},{"id":99} '.repeat(1_000));

/** As a reader keeps it: the beginning and the end. */
function recover(text: string): ReturnType<typeof recoverId> {
  return recoverId(text.slice(0, 4_096), text.slice(-1_024));
}

describe("recoverId", () => {
  it("reads the id of an answer that stands before its result [PP-026]", () => {
    assert.deepEqual(recover(`{"jsonrpc":"2.0","id":12,"result":{"text":${filler}}}`), { id: 12, isResponse: true });
  });

  it("reads the id of an answer that stands behind its result [PP-026]", () => {
    const text = `{"result":{"text":${filler}},"jsonrpc":"2.0","id":"a\\u0062"}`;
    assert.deepEqual(recover(text), { id: "ab", isResponse: true });
    const other = `{ "result" : {"text":${filler}} , "id" : -3 , "jsonrpc" : "2.0" } `;
    assert.deepEqual(recover(other), { id: -3, isResponse: true });
  });

  it("tells a request from an answer [PP-026]", () => {
    const front = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"text":${filler}}}`;
    const back = `{"method":"tools/call","params":{"text":${filler}},"jsonrpc":"2.0","id":1}`;
    const bare = `{"params":{"text":${filler}},"id":1,"method":"tools/call"}`;
    for (const text of [front, back, bare]) {
      assert.deepEqual(recover(text), { id: 1, isResponse: false });
    }
  });

  it("steps over values with brackets and quotes to a member behind them", () => {
    const text = `{"params":{"a":[1,{"id":5}],"b":"}\\"{"},"method":"x","id":6, "oops`;
    assert.deepEqual(recover(text), { id: 6, isResponse: false });
  });

  it("takes no id from inside a string or an inner object", () => {
    assert.deepEqual(recover(`{"jsonrpc":"2.0","method":"log","params":{"text":${filler},"id":4}}`), {});
    assert.deepEqual(recover(`{"jsonrpc":"2.0","method":"log","params":${filler}}`), {});
  });

  it("takes no id that was cut", () => {
    assert.deepEqual(recoverId(`{"jsonrpc":"2.0","id":12`, ""), {});
    assert.deepEqual(recoverId(`{"jsonrpc":"2.0","id":"ab`, ""), {});
  });

  it("finds none in what is no message, such as a line of a log [PP-029]", () => {
    for (const text of [
      `{"level":30,"id":5,"msg":"x"`,
      `{"level":30,"msg":"x","id":5}`,
      `id: {"id":5}`,
      "",
      "{",
      "null",
    ]) {
      assert.deepEqual(recover(text), {}, text);
    }
  });

  it("finds none where the id is null, a fraction or an object", () => {
    for (const id of ["null", "1.5", "{}", "[1]", "tru"]) {
      assert.deepEqual(recover(`{"jsonrpc":"2.0","id":${id},"result":{}} x`), {}, id);
    }
  });

  it("agrees with the parser on any message, and never throws on anything", () => {
    const id = fc.oneof(fc.integer(), fc.string({ maxLength: 40 }));
    const value = fc.jsonValue({ maxDepth: 3 });
    fc.assert(
      fc.property(
        id,
        value,
        fc.boolean(),
        fc.constantFrom(["id", "result"], ["result", "id"]),
        (id, value, pad, order) => {
          const members: Record<string, unknown> = { id, result: { value, pad: pad ? "y".repeat(5_000) : "" } };
          const text = JSON.stringify(Object.fromEntries(order.map((name) => [name, members[name]])));
          const recovered = recover(text);
          assert.deepEqual(recovered, { id, isResponse: true });
        },
      ),
    );
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'{}[],:"\\ id1method') }), (text) => {
        assert.equal(typeof recoverId(text, text), "object");
      }),
    );
  });
});
