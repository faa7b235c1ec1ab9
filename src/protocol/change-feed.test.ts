import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createMemoryStore } from "../store/memory.ts";
import { createChangeFeed, decodeChange, encodeChange, isWrittenBy } from "./change-feed.ts";
import { type Change, type ListKind, toChangeNotification } from "./changes.ts";

describe("the feed of changes", () => {
  it("gives back what was written, and who wrote it", async () => {
    const changes: Change[] = [{ list: "tools" }, { uri: "x:///a b" }, { uri: "x:///a", within: "x:///" }];
    const feed = createChangeFeed(createMemoryStore());
    for (const change of changes) {
      await feed.append(encodeChange(change, "me"));
    }
    const entries = (await feed.read(0))?.entries ?? [];
    assert.deepEqual(
      entries.map(({ value }) => JSON.parse(JSON.stringify(decodeChange(value)))),
      changes,
    );
    assert.ok(entries.every(({ value }) => isWrittenBy("me", value) && !isWrittenBy("m", value)));
  });

  it("takes nothing that another version wrote", () => {
    for (const text of [
      "",
      "x",
      "x {}",
      "x []",
      "x null",
      'x {"list":"roots"}',
      'x {"uri":1}',
      "x {",
      'x {"uri":[[[[1]]]]}',
    ]) {
      assert.equal(decodeChange(text), undefined, text);
    }
    assert.deepEqual(decodeChange('x {"uri":"a","within":5,"more":true}'), { uri: "a", within: undefined });
  });
});

describe("toChangeNotification", () => {
  const audience = { lists: new Set<ListKind>(["tools"]), uris: new Set(["x:///dir"]) };

  it("tells of lists that were asked for, and of resources that were subscribed to or are a part of one [RES-009] [TOOL-006]", () => {
    assert.deepEqual(toChangeNotification({ list: "tools" }, audience), { method: "notifications/tools/list_changed" });
    assert.equal(toChangeNotification({ list: "prompts" }, audience), undefined);
    const updated = (uri: string): object => ({ method: "notifications/resources/updated", params: { uri } });
    assert.deepEqual(toChangeNotification({ uri: "x:///dir" }, audience), updated("x:///dir"));
    assert.deepEqual(toChangeNotification({ uri: "x:///file", within: "x:///dir" }, audience), updated("x:///file"));
    assert.equal(toChangeNotification({ uri: "x:///file" }, audience), undefined);
  });
});
