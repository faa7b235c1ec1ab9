import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  checkAnnotations,
  filterByAudience,
  sortByAnnotation,
  type ToolHints,
  toDisplayName,
  toEffectiveHints,
} from "./annotations.ts";

describe("toEffectiveHints", () => {
  it("gives every absent hint its default [TOOL-024]", () => {
    const defaults = { readOnly: false, destructive: true, idempotent: false, openWorld: true };
    assert.deepEqual(toEffectiveHints({}), defaults);
    assert.deepEqual(toEffectiveHints(), defaults);
  });

  it("never calls a read-only tool destructive, and calls it idempotent [PP-070]", () => {
    assert.deepEqual(toEffectiveHints({ readOnlyHint: true, destructiveHint: true, openWorldHint: false }), {
      readOnly: true,
      destructive: false,
      idempotent: true,
      openWorld: false,
    });
  });

  it("keeps what is said", () => {
    assert.deepEqual(toEffectiveHints({ destructiveHint: false, idempotentHint: true }), {
      readOnly: false,
      destructive: false,
      idempotent: true,
      openWorld: true,
    });
  });
});

describe("ToolHints", () => {
  it("does not compile when hints contradict each other [PP-070]", () => {
    const reading: ToolHints = { readOnlyHint: true, destructiveHint: false };
    const writing: ToolHints = { destructiveHint: true, idempotentHint: true };
    // @ts-expect-error a read-only tool cannot be destructive
    const contradiction: ToolHints = { readOnlyHint: true, destructiveHint: true };
    // @ts-expect-error calling a read-only tool again adds nothing
    const repetition: ToolHints = { readOnlyHint: true, idempotentHint: false };
    assert.equal([reading, writing, contradiction, repetition].length, 4);
  });
});

describe("toDisplayName", () => {
  it("prefers the title, then the annotations' title, then the name [BASE-024]", () => {
    const named = { name: "n" };
    assert.equal(toDisplayName({ ...named, title: "T", annotations: { title: "A" } }), "T");
    assert.equal(toDisplayName({ ...named, annotations: { title: "A" } }), "A");
    assert.equal(toDisplayName({ ...named, title: "T" }), "T");
    assert.equal(toDisplayName({ ...named, annotations: {} }), "n");
    assert.equal(toDisplayName(named), "n");
  });
});

describe("checkAnnotations", () => {
  it("refuses foreign audiences, priorities out of range and dates that are none [RES-012]", () => {
    assert.equal(
      checkAnnotations({ audience: ["user", "assistant"], priority: 0, lastModified: "2025-01-12T15:00:58Z" }),
      undefined,
    );
    assert.equal(checkAnnotations({ lastModified: "2025-01-12" }), undefined);
    assert.equal(
      checkAnnotations({ audience: ["x"] }),
      'annotations.audience[0]: expected "user" or "assistant", got "x"',
    );
    assert.equal(checkAnnotations({ priority: 2 }), "annotations.priority: expected a number from 0 to 1, got 2");
    assert.match(
      checkAnnotations({ lastModified: "yesterday" }) ?? "",
      /^annotations\.lastModified: expected an ISO 8601/,
    );
    assert.match(checkAnnotations({ lastModified: "2025-99-12" }) ?? "", /^annotations\.lastModified: /);
  });
});

const things = [
  { id: 1, annotations: { audience: ["assistant" as const], priority: 0.1, lastModified: "2025-01-01T00:00:00Z" } },
  { id: 2 },
  { id: 3, annotations: { audience: ["user" as const, "assistant" as const], priority: 0.9 } },
  { id: 4, annotations: { priority: 0.9, lastModified: "2025-01-01T01:00:00+02:00" } },
];

describe("filterByAudience", () => {
  it("keeps what is meant for the audience or for everyone [RES-013]", () => {
    assert.deepEqual(
      filterByAudience(things, "user").map(({ id }) => id),
      [2, 3, 4],
    );
  });
});

describe("sortByAnnotation", () => {
  it("ranks by priority or by date, what has none last, and keeps the order of equals [RES-013]", () => {
    assert.deepEqual(
      sortByAnnotation(things, "priority").map(({ id }) => id),
      [3, 4, 1, 2],
    );
    assert.deepEqual(
      sortByAnnotation(things, "lastModified").map(({ id }) => id),
      [1, 4, 2, 3],
    );
  });
});
