// Two servers of different names that keep their tasks in one store.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { defineServer, type Server, tool } from "parley-mcp/server";
import { createMemoryStore, type Store } from "parley-mcp/store";
import { createFakeClock } from "parley-mcp/test";
import { Node } from "../fixtures/nodes.ts";
import { CoreClient } from "../fixtures/task-requests.ts";
import { turn } from "../fixtures/turn.ts";

describe("Tasks of two servers in one store", () => {
  it("are gone on with by a process of their own server only, whatever the tools of the other are called", async () => {
    const clock = createFakeClock(Date.UTC(2026, 0, 1));
    const shared = createMemoryStore({ clock });
    const runs: string[] = [];
    const start = (name: string): Node => {
      const define = (store: Store): Server =>
        defineServer({
          name,
          version: "1.0.0",
          store,
          clock,
          tools: {
            clear: tool(
              { description: "Clears", task: { support: "required", resumable: true } },
              async (_args, ctx) => {
                runs.push(name);
                return await new Promise<string>((_resolve, reject) => {
                  ctx.signal.addEventListener("abort", () => reject(ctx.signal.reason));
                });
              },
            ),
          },
        });
      return new Node(define, shared, { clock });
    };
    const pass = async (seconds: number): Promise<void> => {
      for (let second = 0; second < seconds; second += 1) {
        await clock.advance(1_000);
        await turn();
      }
    };
    const begin = async (node: Node): Promise<void> => {
      await (await CoreClient.open(node)).ask(node, "tools/call", { name: "clear", task: {} });
      await pass(2);
    };
    const [first, other] = [start("first"), start("other")];
    await begin(first);
    await begin(other);
    first.kill();
    await pass(40);
    assert.deepEqual(runs, ["first", "other"]);
    const again = start("first");
    await begin(again);
    await pass(40);
    assert.deepEqual(runs, ["first", "other", "first", "first"]);
    await other.stop();
    await again.stop();
  });
});
