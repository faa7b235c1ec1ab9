import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { UsageError } from "../../base/error.ts";
import { createNames } from "./names.ts";

/** What a cluster hashes of a key: what stands between the first braces, unless that is nothing. */
function hashed(name: string): string {
  const open = name.indexOf("{");
  const close = name.indexOf("}", open + 1);
  return open === -1 || close <= open + 1 ? name : name.slice(open + 1, close);
}

describe("createNames", () => {
  it("keeps the keys of a log in one slot, whatever its name and the prefix", () => {
    const text = fc.string({ unit: fc.constantFrom("{", "}", "a", ":") });
    fc.assert(
      fc.property(text, text, (prefix, log) => {
        fc.pre(!prefix.includes("{}"));
        const slots = new Set(createNames(prefix).log(log).map(hashed));
        return slots.size === 1;
      }),
    );
  });

  it("refuses a prefix that would spread them", () => {
    assert.throws(() => createNames("a{}b"), UsageError);
  });

  it("gives different things different names", () => {
    const names = createNames("p:");
    const texts = ["", "a", "a}:state", "a:state", "{log:a}", "value:a"];
    const all = texts.flatMap((text) => [names.value(text), ...names.log(text), names.topic(text)]);
    assert.equal(new Set(all).size, all.length);
    assert.deepEqual(
      texts.map((text) => names.keyOf(names.value(text))),
      texts,
    );
  });
});
