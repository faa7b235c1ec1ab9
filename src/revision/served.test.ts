import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { UsageError } from "../base/error.ts";
import { handshakeRevisions, revisions, statelessRevisions } from "./registry.ts";
import { resolveServedRevisions } from "./served.ts";

describe("resolveServedRevisions", () => {
  it("serves all by default, and otherwise what is named, newest first [M-VER-004]", () => {
    assert.deepEqual(resolveServedRevisions(undefined), {
      ids: revisions.map(({ id }) => id),
      handshake: handshakeRevisions,
      stateless: statelessRevisions,
    });
    const { ids, handshake, stateless } = resolveServedRevisions(["2025-03-26", "2026-07-28", "2025-11-25"]);
    assert.deepEqual(ids, ["2026-07-28", "2025-11-25", "2025-03-26"]);
    assert.deepEqual([handshake.map(({ id }) => id), stateless.map(({ id }) => id)], [ids.slice(1), ids.slice(0, 1)]);
  });

  it("refuses ids it does not know, and none at all, naming those there are", () => {
    for (const ids of [[], ["2025-11-25 "], ["2025-11-25", "latest"]]) {
      assert.throws(
        () => resolveServedRevisions(ids),
        (error) => {
          assert.ok(error instanceof UsageError);
          assert.match(error.message, /^revisions: expected some of 2026-07-28, 2025-11-25, .*, got ("|an empty list)/);
          return true;
        },
      );
    }
  });
});
