import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { errorOf, identity, resultOf, send } from "../../../test/fixtures/server-calls.ts";
import { UsageError } from "../../base/error.ts";
import { defineServer } from "../define.ts";
import { tool } from "../features/tool.ts";
import { Registry } from "./registry.ts";

function numbers(): Registry<number, { access: object; wire: number }> {
  return new Registry("number", (key, value) => {
    if (value < 0) {
      throw new UsageError(`number ${key}: expected at least 0`);
    }
    return { access: {}, wire: value };
  });
}

describe("Registry", () => {
  it("adds, replaces in place, deletes, and iterates in order", () => {
    const registry = numbers();
    registry.set("a", 1);
    registry.set("b", 2);
    registry.set("a", 3);
    assert.deepEqual(
      [...registry],
      [
        ["a", 3],
        ["b", 2],
      ],
    );
    assert.equal(registry.get("a"), 3);
    assert.equal(registry.delete("a"), true);
    assert.equal(registry.delete("a"), false);
    assert.equal(registry.has("a"), false);
    assert.equal(registry.size, 1);
  });

  it("keeps what it had when a new definition is refused", () => {
    const registry = numbers();
    registry.set("a", 1);
    assert.throws(() => registry.set("a", -1), UsageError);
    assert.throws(() => registry.set("b", -1), UsageError);
    assert.deepEqual([...registry], [["a", 1]]);
  });

  it("hides what is disabled from lists and calls until it is enabled", async () => {
    const app = defineServer({ ...identity, tools: { a: tool({}, () => "a"), b: tool({}, () => "b") } });
    assert.equal(app.tools.disable("a"), true);
    assert.equal(app.tools.disable("none"), false);
    assert.equal((resultOf(await send(app, "tools/list")).tools as object[]).length, 1);
    assert.equal(errorOf(await send(app, "tools/call", { name: "a" })).code, -32602);
    app.tools.enable("a");
    assert.ok(resultOf(await send(app, "tools/call", { name: "a" })));
    app.tools.disable("b");
    app.tools.set(
      "b",
      tool({}, () => "new"),
    );
    assert.equal(errorOf(await send(app, "tools/call", { name: "b" })).code, -32602, "replacing does not enable");
  });

  it("tells listeners of changes, and only of changes", () => {
    const registry = numbers();
    let heard = 0;
    const stop = registry.onChange(() => {
      heard += 1;
    });
    registry.set("a", 1);
    registry.enable("a");
    registry.delete("none");
    assert.equal(heard, 1);
    registry.disable("a");
    assert.equal(heard, 2);
    stop();
    registry.delete("a");
    assert.equal(heard, 2);
  });

  it("finds one of ten thousand by its key, without a walk", () => {
    const registry = numbers();
    for (let index = 0; index < 10_000; index += 1) {
      registry.set(`n${index}`, index);
    }
    let walked = false;
    registry.keys = () => {
      walked = true;
      return [];
    };
    assert.equal(registry.find("n9999")?.wire, 9_999);
    assert.equal(walked, false);
    assert.deepEqual(
      registry.page("9998", 5)?.items.map((item) => item.wire),
      [9_998, 9_999],
    );
  });
});
