import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { addServer, createFolder } from "../../test/fixtures/programs.ts";
import { UsageError } from "../base/error.ts";
import { findLoader, loadDefinition } from "./load-definition.node.ts";

describe("loadDefinition", () => {
  it("gives the default export, also of a file that becomes CommonJS", async (context) => {
    const folder = createFolder(context, { "module.mts": addServer, "plain.ts": addServer });
    for (const name of ["module.mts", "plain.ts"]) {
      assert.equal((await loadDefinition(join(folder, name))).info.name, "demo");
    }
  });

  it("says what it found instead of a definition", async (context) => {
    const folder = createFolder(context, {
      "none.mjs": "",
      "named.mjs": "export const app = 1, other = 2;",
      "text.mjs": 'export default "demo";',
      "null.mjs": "export default null;",
      "object.mjs": "export default { name: 'demo' };",
      "folder/x": "",
    });
    const cases: readonly (readonly [string, RegExp])[] = [
      ["none.mjs", /none\.mjs: expected .* what defineServer returns, got a module without exports/],
      ["named.mjs", /got no default export, only app, other/],
      ["text.mjs", /got a default export of type string/],
      ["null.mjs", /got a default export of type null/],
      ["object.mjs", /got a default export of type object/],
      ["folder", /expected a source file, got a folder/],
      ["missing.ts", /there is no file .*missing\.ts/],
    ];
    for (const [name, pattern] of cases) {
      await assert.rejects(loadDefinition(join(folder, name)), (error) => {
        assert.ok(error instanceof UsageError, String(error));
        assert.match(error.message, pattern);
        return true;
      });
    }
  });

  it("passes on what the file throws", async (context) => {
    const folder = createFolder(context, { "throws.mjs": 'throw new RangeError("out of cheese");' });
    await assert.rejects(loadDefinition(join(folder, "throws.mjs")), RangeError);
  });
});

describe("findLoader", () => {
  const old = { stripsTypes: false, execArgv: [] };

  it("needs none for JavaScript, nor for TypeScript where Node runs that", () => {
    for (const name of ["a.js", "a.mjs", "a.cjs"]) {
      assert.equal(findLoader(name, old), undefined);
    }
    for (const name of ["a.ts", "a.mts", "a.cts"]) {
      assert.equal(findLoader(name, { stripsTypes: true, execArgv: [] }), undefined);
    }
  });

  it("takes the tsx that is installed beside the file", () => {
    for (const name of ["src/a.ts", "src/a.tsx", "src/a.jsx"]) {
      assert.match(findLoader(name, old) ?? "", /^file:.*\/node_modules\/tsx\/.*\.mjs$/);
    }
    assert.match(findLoader("src/a.tsx", { stripsTypes: true, execArgv: [] }) ?? "", /tsx/);
  });

  it("says what to install where there is none, unless this Node was started with a loader", (context) => {
    const folder = createFolder(context, {});
    const path = join(folder, "a.ts");
    assert.throws(
      () => findLoader(path, old),
      /install tsx beside it \(npm install --save-dev tsx\), or use Node 22\.18/,
    );
    for (const flag of ["--import=swc", "--loader", "-r", "--require=ts-node/register"]) {
      assert.equal(findLoader(path, { stripsTypes: false, execArgv: [flag] }), undefined);
    }
    assert.throws(() => findLoader(path, { stripsTypes: false, execArgv: ["--conditions=x"] }), UsageError);
  });
});
