import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SessionExpiredError } from "../../protocol/errors.ts";
import { ItemList, type ListOptions, type Page } from "./lists.ts";

function listOf(pages: readonly Page<number>[], options?: ListOptions) {
  const cursors: (string | undefined)[] = [];
  const list = new ItemList<number>(
    {
      what: "numbers",
      fetch: async (cursor) => {
        cursors.push(cursor);
        const page = pages[cursors.length - 1];
        assert.ok(page, "asked for a page too many");
        return page;
      },
    },
    options,
  );
  return { list, cursors };
}

describe("ItemList", () => {
  it("gives each item of pages of 3, 0 and 7 once [PAGE-001] [PAGE-002] [PP-082]", async () => {
    const { list } = listOf([
      { items: [1, 2, 3], nextCursor: "a" },
      { items: [], nextCursor: "b" },
      { items: [4, 5, 6, 7, 8, 9, 10], nextCursor: undefined },
    ]);
    const items: number[] = [];
    for await (const item of list) {
      items.push(item);
    }
    assert.deepEqual(items, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });

  it("stops when there is no cursor, and goes on with an empty one [PAGE-003]", async () => {
    const { list, cursors } = listOf([
      { items: [1], nextCursor: "" },
      { items: [2], nextCursor: undefined },
    ]);
    assert.deepEqual(await list.all(), [1, 2]);
    assert.deepEqual(cursors, [undefined, ""]);
  });

  it("sends cursors back as they came [PAGE-004]", async () => {
    const odd = ' "\\\u0000é🙂==&%20 ';
    const { list, cursors } = listOf([
      { items: [], nextCursor: odd },
      { items: [], nextCursor: undefined },
    ]);
    await list.all();
    assert.deepEqual(cursors, [undefined, odd]);
  });

  it("raises instead of walking in circles [PAGE-007] [PP-082]", async () => {
    const { list, cursors } = listOf([
      { items: [1], nextCursor: "a" },
      { items: [2], nextCursor: "b" },
      { items: [3], nextCursor: "a" },
    ]);
    await assert.rejects(list.all(), { code: "MCP_PEER", message: /new cursor on every page, got "a" twice/ });
    assert.equal(cursors.length, 3);
  });

  it("raises instead of cutting a list that is over its bounds [PAGE-007] [PP-082]", async () => {
    const endless = (): Page<number>[] => [1, 2, 3].map((n) => ({ items: [n, n], nextCursor: `c${n}` }));
    await assert.rejects(listOf(endless(), { maxPages: 2 }).list.all(), {
      code: "MCP_PEER",
      message: /at most 2 pages/,
    });
    await assert.rejects(listOf(endless(), { maxItems: 3 }).list.all(), {
      code: "MCP_PEER",
      message: /at most 3 items/,
    });
  });

  it("gives the pages one by one, asking for no more than are read [PP-082]", async () => {
    const { list, cursors } = listOf([
      { items: [1, 2], nextCursor: "a" },
      { items: [3], nextCursor: undefined },
    ]);
    for await (const page of list.pages()) {
      assert.deepEqual(page, [1, 2]);
      break;
    }
    assert.equal(cursors.length, 1);
  });

  it("starts again once, without a cursor, when the session is replaced in the middle [PAGE-004]", async () => {
    const cursors: (string | undefined)[] = [];
    let lost = false;
    const list = new ItemList<number>({
      what: "numbers",
      fetch: async (cursor) => {
        cursors.push(cursor);
        if (cursor !== undefined && !lost) {
          lost = true;
          throw new SessionExpiredError("gone");
        }
        return cursor === undefined ? { items: [1], nextCursor: "a" } : { items: [2], nextCursor: undefined };
      },
    });
    assert.deepEqual(await list.all(), [1, 2]);
    assert.deepEqual(cursors, [undefined, "a", undefined, "a"]);
  });
});
