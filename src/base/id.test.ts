import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createId } from "./id.ts";

describe("createId", () => {
  it("makes unguessable identifiers of visible ASCII that do not repeat", () => {
    const ids = Array.from({ length: 1_000 }, () => createId());
    assert.equal(new Set(ids).size, 1_000);
    assert.ok(ids.every((id) => /^[\w-]{27}$/.test(id)));
  });
});
