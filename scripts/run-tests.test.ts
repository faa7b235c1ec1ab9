import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { dealOut, entrySource, selectTests } from "./run-tests.ts";

const paths = ["src/http/a.test.ts", "src/stdio/b.process.test.ts", "test/package/exports.test.ts"];

describe("selectTests", () => {
  it("takes everything that needs no build, and sets apart what wants its own process", () => {
    assert.deepEqual(selectTests(paths, []), {
      together: ["src/http/a.test.ts"],
      apart: ["src/stdio/b.process.test.ts"],
    });
  });

  it("takes only what a filter names, tests of the built package included", () => {
    assert.deepEqual(selectTests(paths, ["./src/http"]).together, ["src/http/a.test.ts"]);
    assert.deepEqual(selectTests(paths, ["test/package"]).together, ["test/package/exports.test.ts"]);
    assert.deepEqual(selectTests(paths, ["src/none"]), { together: [], apart: [] });
  });
});

describe("dealOut", () => {
  it("gives every file to one group, and makes no empty ones", () => {
    assert.deepEqual(dealOut(["a", "b", "c", "d", "e"], 2), [
      ["a", "c", "e"],
      ["b", "d"],
    ]);
    assert.deepEqual(dealOut(["a"], 4), [["a"]]);
    assert.deepEqual(dealOut([], 4), []);
  });
});

describe("entrySource", () => {
  it("imports each file once", () => {
    const source = entrySource(["src/a.test.ts", "src/b.test.ts"]);
    assert.equal(source.split('"src/a.test.ts"').length, 2);
    assert.match(source, /"src\/b\.test\.ts"/);
  });
});
