import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { revisions } from "../revision/registry.ts";
import { defineServer } from "../server/define.ts";
import { prompt } from "../server/features/prompt.ts";
import { tool } from "../server/features/tool.ts";
import { describeServer } from "./banner.ts";

const done = () => "done";

describe("describeServer", () => {
  it("says in one line what is served, where, and which revisions are spoken", () => {
    const app = defineServer({ name: "demo", version: "1.0.0", tools: { add: tool({}, done) } });
    assert.equal(
      describeServer(app, "stdio"),
      `demo 1.0.0 · stdio · 1 tool (add) · speaks ${revisions.at(-1)?.id} … ${revisions[0]?.id}`,
    );
  });

  it("names the oldest and the newest of the revisions that are served, in whatever order they were given", () => {
    const app = defineServer({ name: "x", version: "1" });
    const [newest, second, third] = revisions.map(({ id }) => id);
    assert.ok(newest !== undefined && second !== undefined && third !== undefined);
    assert.equal(describeServer(app, "stdio", [second, newest, third]), `x 1 · stdio · speaks ${third} … ${newest}`);
    assert.equal(describeServer(app, "stdio", [second]), `x 1 · stdio · speaks ${second}`);
  });

  it("counts what does not fit, and leaves out what there is none of", () => {
    const names = ["a", "b", "c", "d", "e", "f", "g"];
    const tools = Object.fromEntries(names.map((name) => [name, tool({}, done)]));
    const app = defineServer({ name: "demo", version: "1.0.0", tools, prompts: { hello: prompt({}, done) } });
    assert.match(
      describeServer(app, "http://h/mcp"),
      /http:\/\/h\/mcp · 7 tools \(a, b, c, d, e, 2 more\) · 1 prompt \(hello\) · speaks/,
    );
    assert.match(describeServer(defineServer({ name: "x", version: "1" }), "stdio"), /^x 1 · stdio · speaks/);
  });
});
