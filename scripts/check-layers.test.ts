import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { checkLayers } from "./check-layers.ts";
import { formatFinding } from "./finding.ts";

/** Rules broken by one file, as `line rule-number`. */
function rulesOf(path: string, source: string): string[] {
  return checkLayers(new Map([[path, source]])).map(({ line, rule }) => `${line} ${rule.replace(/ \(.*/, "")}`);
}

describe("checkLayers", () => {
  it("accepts imports from the own folder and from lower layers", () => {
    assert.deepEqual(
      rulesOf(
        "src/server/features/tools.ts",
        'import { a } from "./registry.ts";\nimport { b } from "../base/id.ts";\n',
      ),
      [],
    );
    assert.deepEqual(rulesOf("src/connect/connect.ts", 'import { a } from "../http/client/link.ts";'), []);
  });

  it("refuses an import of a higher or an equal layer", () => {
    assert.deepEqual(rulesOf("src/base/id.ts", '\nimport type { A } from "../jsonrpc/link.ts";'), ["2 rule 1"]);
    assert.deepEqual(rulesOf("src/revision/a.ts", 'import { A } from "../schema/standard.ts";'), ["1 rule 1"]);
    assert.deepEqual(rulesOf("src/connect/a.ts", 'const a = await import("../bridge/forward.ts");'), ["1 rule 1"]);
  });

  it("refuses a folder without a layer, a stray root file and a drawer", () => {
    assert.deepEqual(rulesOf("src/extra/a.ts", ""), ["1 rule 1"]);
    assert.deepEqual(rulesOf("src/other.ts", ""), ["1 rule 1"]);
    assert.deepEqual(rulesOf("src/base/utils.ts", ""), ["1 naming"]);
  });

  it("keeps roles apart from each other and from transports", () => {
    assert.deepEqual(rulesOf("src/server/a.ts", 'import { A } from "../client/client.ts";'), ["1 rule 2"]);
    assert.deepEqual(rulesOf("src/client/a.ts", 'import { A } from "../http/headers.ts";'), ["1 rule 2"]);
  });

  it("keeps transports apart from roles and from each other", () => {
    assert.deepEqual(rulesOf("src/http/a.ts", 'import { A } from "../server/server.ts";'), ["1 rule 3"]);
    assert.deepEqual(rulesOf("src/stdio/a.ts", 'import { A } from "../memory/pair.ts";'), ["1 rule 3"]);
  });

  it("lets only the store's entries import a backend", () => {
    assert.deepEqual(rulesOf("src/http/a.ts", 'import { A } from "../store/feed.ts";'), []);
    assert.deepEqual(rulesOf("src/http/a.ts", 'import { A } from "../store/sqlite/store.ts";'), ["1 rule 4"]);
    assert.deepEqual(rulesOf("src/store/feed.ts", 'import { A } from "./redis/store.ts";'), ["1 rule 4"]);
    assert.deepEqual(rulesOf("src/store/index.ts", 'export { A } from "./memory.ts";'), []);
  });

  it("allows a revision date as a literal only under revision/", () => {
    const source = '// 2025-11-25 in a comment is fine\nconst v = "2025-11-25";';
    assert.deepEqual(rulesOf("src/http/a.ts", source), ["2 rule 5"]);
    assert.deepEqual(rulesOf("src/revision/a.ts", source), []);
    assert.deepEqual(rulesOf("src/http/a.test.ts", source), []);
  });

  it("keeps node modules and node-only files out of portable files", () => {
    assert.deepEqual(rulesOf("src/http/a.ts", 'import { a } from "node:fs";'), ["1 rule 6"]);
    assert.deepEqual(rulesOf("src/connect/a.ts", 'import { a } from "./serve.node.ts";'), ["1 rule 6"]);
    assert.deepEqual(
      rulesOf("src/stdio/a.node.ts", 'import { a } from "node:fs";\nimport { b } from "./client.node.ts";'),
      [],
    );
  });

  it("allows a package only where the table says", () => {
    assert.deepEqual(rulesOf("src/http/sse-reader.ts", 'import { a } from "eventsource-parser/stream";'), []);
    assert.deepEqual(rulesOf("src/server/a.ts", 'import { a } from "eventsource-parser";'), ["1 rule 7"]);
    assert.deepEqual(rulesOf("src/server/a.ts", 'import a from "lodash";'), ["1 rule 7"]);
    assert.deepEqual(rulesOf("src/server/a.ts", 'import { a } from "parley-mcp/client";'), ["1 rule 1"]);
  });

  it("lets only index files re-export, by name, and nobody inside import them", () => {
    assert.deepEqual(rulesOf("src/server/index.ts", 'export { a } from "./server.ts";'), []);
    assert.deepEqual(rulesOf("src/server/index.ts", 'export * from "./server.ts";'), ["1 rule 9"]);
    assert.deepEqual(rulesOf("src/server/a.ts", 'export type { A } from "./server.ts";'), ["1 rule 9"]);
    assert.deepEqual(rulesOf("src/server/a.ts", 'import { a } from "../schema/index.ts";'), ["1 rule 9"]);
    assert.deepEqual(rulesOf("src/server/a.test.ts", 'import { a } from "./index.ts";'), ["1 rule 9"]);
    assert.deepEqual(rulesOf("src/server/index.test.ts", 'import { a } from "./index.ts";'), []);
  });

  it("keeps the halves of http apart", () => {
    assert.deepEqual(rulesOf("src/http/server/a.ts", 'import { a } from "../client/link.ts";'), ["1 rule 10"]);
    assert.deepEqual(rulesOf("src/http/server/a.ts", 'import { a } from "../headers.ts";'), []);
  });

  it("gathers only types and errors in the root entry", () => {
    assert.deepEqual(rulesOf("src/index.ts", 'export type { A } from "./protocol/errors.ts";'), []);
    assert.deepEqual(rulesOf("src/index.ts", 'export { A } from "./server/server.ts";'), ["1 rule 1"]);
  });

  it("is not fooled by comments, strings and templates, and reads imports over several lines", () => {
    const decoys =
      '// import "../client/a.ts"\nconst s = "from \\"../client/a.ts\\"";\nconst t = `import "../client/a.ts"`;';
    assert.deepEqual(rulesOf("src/server/a.ts", decoys), []);
    assert.deepEqual(rulesOf("src/server/a.ts", 'import {\n  a,\n  b,\n} from "../client/a.ts";'), ["4 rule 2"]);
  });
});

describe("formatFinding", () => {
  it("says where, which rule and what to do", () => {
    const [finding] = checkLayers(new Map([["src/base/a.ts", 'import { a } from "node:fs";']]));
    assert.ok(finding !== undefined);
    assert.match(
      formatFinding(finding),
      /^src\/base\/a\.ts:1 {2}rule 6 \(portability\): .*move this part to a \*\.node\.ts/,
    );
  });
});
