import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { questionKey, toCanonicalJson } from "./question-key.ts";

describe("questionKey", () => {
  it("is the same for the same question, whatever the order of its members [PP-112]", () => {
    const one = questionKey({ method: "elicitation/create", params: { a: { x: 1, y: [2] }, b: 3 } });
    assert.equal(one, questionKey({ method: "elicitation/create", params: { b: 3, a: { y: [2], x: 1 } } }));
    assert.match(one, /^elicitation-[0-9a-f]{16}$/);
    assert.equal(questionKey({ method: "roots/list" }), questionKey({ method: "roots/list", params: {} }));
  });

  it("differs as soon as a question differs anywhere [PP-112]", () => {
    const keys = new Set<string>();
    for (let number = 0; number < 20_000; number += 1) {
      keys.add(questionKey({ method: "elicitation/create", params: { message: `Delete file ${number}?` } }));
    }
    assert.equal(keys.size, 20_000);
    const list = [1, 2];
    assert.notEqual(
      questionKey({ method: "x", params: { list } }),
      questionKey({ method: "x", params: { list: [2, 1] } }),
    );
  });
});

describe("toCanonicalJson", () => {
  it("sorts members at every depth and leaves lists alone", () => {
    assert.equal(toCanonicalJson({ b: [{ d: 1, c: 2 }], a: null }), '{"a":null,"b":[{"c":2,"d":1}]}');
  });
});
