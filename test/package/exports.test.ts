// Each built entry exports exactly what the committed list says, at run time as well as in its declarations.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { readEntries } from "../../scripts/entries.ts";
import { compareExports, readEntryNames } from "../../scripts/exports.ts";
import { root } from "../../scripts/files.ts";

describe("built entries", () => {
  it("export the names of the committed list; after a wanted change run `npm run exports -- --accept`", () => {
    assert.deepEqual(compareExports(), []);
  });

  for (const { name, code } of readEntries()) {
    it(`${name} exports at run time the values it declares`, async () => {
      const module: object = await import(new URL(code, pathToFileURL(`${root}/`)).href);
      const declared = (readEntryNames().get(name) ?? []).filter((text) => !text.startsWith("type "));
      assert.deepEqual(Object.keys(module).sort(), declared.sort());
    });
  }
});
