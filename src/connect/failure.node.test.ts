import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { createFolder } from "../../test/fixtures/programs.ts";
import { UsageError } from "../base/error.ts";
import { describeFailure } from "./failure.node.ts";
import { loadDefinition } from "./load-definition.node.ts";

async function failure(path: string): Promise<string> {
  return await loadDefinition(path).then(
    () => assert.fail("expected the file not to load"),
    (error: unknown) => describeFailure(error, path),
  );
}

describe("describeFailure", () => {
  it("gives code and message of an error of ours, and nothing else", () => {
    assert.equal(
      describeFailure(new UsageError("port: expected a number"), "a.ts"),
      "MCP_USAGE: port: expected a number",
    );
  });

  it("shows where a file threw, with causes, and not how it was loaded", async (context) => {
    const folder = createFolder(context, {
      "throws.mjs":
        '\nfunction check() {\n  throw new Error("missing KEY", { cause: new Error("no .env") });\n}\ncheck();\n',
    });
    const path = join(folder, "throws.mjs");
    const lines = (await failure(path)).split("\n");
    assert.equal(lines[0], `${path} could not be loaded:`);
    assert.equal(lines[1], "Error: missing KEY");
    assert.match(lines[2] ?? "", /^ {4}at check \(.*throws\.mjs:3:9\)$/);
    assert.match(lines[3] ?? "", /^ {4}at .*throws\.mjs:5:1\)?$/);
    assert.equal(lines[4], "caused by: Error: no .env");
    assert.match(lines.at(-1) ?? "", /throws\.mjs:5:1\)?$/);
  });

  it("shows the line of a syntax error, of a missing export and of a missing module", async (context) => {
    const folder = createFolder(context, {
      "syntax.mjs": "const a = 1;\nconst b = ;\n",
      "export.mjs": 'import { nothing } from "node:fs";\n',
      "module.mjs": 'import "./gone.mjs";\n',
    });
    assert.match(await failure(join(folder, "syntax.mjs")), /syntax\.mjs:2[\s\S]*(const b = ;|Unexpected ";")/);
    assert.match(await failure(join(folder, "export.mjs")), /export\.mjs[\s\S]*nothing/);
    assert.match(await failure(join(folder, "module.mjs")), /gone\.mjs[\s\S]*module\.mjs/);
  });

  it("shows what was thrown that is no error, and ends with a ring of causes", () => {
    assert.equal(describeFailure("nope"), "'nope'");
    const ring = new Error("round");
    ring.cause = ring;
    assert.equal(describeFailure(ring).match(/round/g)?.length, 6);
  });
});
