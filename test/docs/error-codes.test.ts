// Every code that the sources can show is explained in docs/errors.md, and nothing else is.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readText, readTree } from "../../scripts/files.ts";

/** Codes in the sources: whole string literals, so that a prefix that code is compared with does not count. */
function codesInSources(): Set<string> {
  const sources = [...readTree(["src"], /(?<!\.test)\.ts$/)].map(([, source]) => source);
  return new Set(sources.flatMap((source) => source.match(/(?<=")MCP_[A-Z0-9_]+(?=")/g) ?? []));
}

/** Codes that are explained: the first cell of a row with a cause and a next step. */
function codesInDocs(): string[] {
  const rows = readText("docs/errors.md").matchAll(/^\| `(MCP_[A-Z0-9_]+)` \| [^|]{8,} \| [^|]{8,} \|$/gm);
  return [...rows].map(([, code = ""]) => code);
}

describe("docs/errors.md", () => {
  it("explains every code of the sources, with cause and next step, and no other", () => {
    const known = codesInSources();
    assert.ok(known.size > 40, "expected to find the codes in the sources");
    assert.deepEqual([...codesInDocs()].sort(), [...known].sort());
  });
});
