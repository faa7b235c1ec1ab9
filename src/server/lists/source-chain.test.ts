import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { AnyContext } from "../requests/context.ts";
import { Registry } from "./registry.ts";
import type { SourcePage } from "./source.ts";
import { SourceChain } from "./source-chain.ts";

interface Item {
  readonly access: object;
  readonly wire: string;
}

const ctx = {} as AnyContext;

function source(...names: string[]): Registry<string, Item> {
  const registry = new Registry<string, Item>("item", (_key, wire) => ({ access: {}, wire }));
  for (const name of names) {
    registry.set(name, name);
  }
  return registry;
}

async function walk(chain: SourceChain<Item>, limit: number): Promise<string[][]> {
  const pages: string[][] = [];
  let position: string | undefined;
  do {
    const page: SourcePage<Item> | undefined = await chain.page(position, limit, ctx);
    assert.ok(page);
    pages.push(page.items.map(({ wire }) => wire));
    position = page.next;
  } while (position !== undefined);
  return pages;
}

describe("SourceChain", () => {
  it("walks its sources in order, over their borders, whatever the size of a page", async () => {
    for (let limit = 1; limit <= 8; limit += 1) {
      const chain = new SourceChain<Item>(source("a", "b", "c"));
      chain.append(source());
      chain.append(source("d"));
      chain.append(source("e", "f"));
      const pages = await walk(chain, limit);
      assert.deepEqual(pages.flat(), ["a", "b", "c", "d", "e", "f"], `limit ${limit}`);
      assert.ok(
        pages.every((page) => page.length > 0 && page.length <= limit),
        `limit ${limit}`,
      );
    }
  });

  it("finds in the first source that has it", async () => {
    const chain = new SourceChain<Item>(source("a"));
    const second = source("a", "b");
    chain.append(second);
    assert.notEqual(await chain.find("a", ctx), second.find("a"));
    assert.equal(await chain.find("b", ctx), second.find("b"));
    assert.equal(await chain.find("c", ctx), undefined);
  });

  it("changes its version with every change of any source, and forgets those taken away", () => {
    const chain = new SourceChain<Item>(source("a"));
    const second = source("b");
    let heard = 0;
    chain.onChange(() => {
      heard += 1;
    });
    const versions = new Set([chain.version]);
    const remove = chain.append(second);
    versions.add(chain.version);
    second.set("c", "c");
    versions.add(chain.version);
    remove();
    versions.add(chain.version);
    second.set("d", "d");
    assert.equal(versions.size, 4);
    assert.equal(heard, 3);
    assert.deepEqual([...chain.keys()], ["a"]);
  });

  it("refuses positions it never gave", async () => {
    const chain = new SourceChain<Item>(source("a"));
    for (const position of ["", "x", ".1", "5.", "-1.0", "0.x", "00"]) {
      assert.equal(await chain.page(position, 1, ctx), undefined, position);
    }
  });
});
