// What each thing costs in operations of a shared store, exactly: docs/scaling.md has its numbers from here.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "parley-mcp";
import type { StoreCosts } from "../fixtures/counting-store.ts";
import { MeasuredFleet, motd } from "../fixtures/measured-fleet.ts";
import type { Node } from "../fixtures/nodes.ts";
import { RawSession } from "../fixtures/raw-session.ts";
import { askAlone } from "../fixtures/task-requests.ts";
import { until } from "../fixtures/until.ts";

/** Three nodes, and a session that was begun at the first of them. */
interface Scene {
  readonly measured: MeasuredFleet;
  readonly session: RawSession;
}

/** What is measured, and what it costs on all nodes together. */
interface Row {
  readonly what: string;
  /** Comes before it, and is not counted. */
  readonly before?: (scene: Scene) => Promise<unknown>;
  readonly does: (scene: Scene) => Promise<unknown>;
  readonly costs: StoreCosts;
}

const call = ({ measured, session }: Scene, node: number, name: string, params: JsonObject = {}): Promise<JsonObject> =>
  session.ask(measured.node(node), 1, "tools/call", { name, ...params });

/** The task that a row made before it. */
let latest: unknown;

async function dig({ measured }: Scene): Promise<void> {
  latest = (await askAlone(measured.node(0), "tools/call", { name: "dig" })).taskId;
}

const progress: JsonObject = { _meta: { progressToken: 1 } };

/** Opens the standing stream at a node, and reads whatever comes. */
async function listen(session: RawSession, node: Node): Promise<void> {
  const response = await session.listen(node);
  assert.equal(response.status, 200);
  response.text().catch(() => undefined);
}

/** Sessions that subscribe and hold the standing stream, each at one node, the nodes in turn. */
async function subscribe({ measured }: Scene, count: number, nodes = 3): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const node = measured.node(index % nodes);
    const session = await RawSession.open(node);
    await session.ask(node, 2, "resources/subscribe", { uri: motd });
    await listen(session, node);
  }
}

const handshake: readonly Row[] = [
  {
    what: "initialize and initialized",
    does: ({ measured }) => measured.open(),
    costs: { get: 1, set: 3, publish: 1, subscribe: 1 },
  },
  {
    what: "initialize, and initialized on another node",
    does: ({ measured }) => RawSession.open(measured.node(0), { initializedAt: measured.node(1) }),
    costs: { get: 3, set: 4, publish: 3, subscribe: 2 },
  },
  {
    what: "DELETE",
    does: ({ measured, session }) => session.delete(measured.node(0)),
    costs: { get: 1, delete: 2, drop: 1, publish: 1, unsubscribe: 1 },
  },
];

const calls: readonly Row[] = [
  {
    what: "a quick call on a node that knows the session",
    does: (scene) => call(scene, 0, "quick"),
    costs: { get: 1 },
  },
  {
    what: "the first call on a node that does not",
    does: (scene) => call(scene, 1, "quick"),
    costs: { get: 2, set: 1, publish: 2, subscribe: 1 },
  },
  {
    what: "a call with three steps of progress, answered by an event stream",
    does: (scene) => call(scene, 0, "steps", progress),
    costs: { get: 1, append: 5, read: 1, publish: 5, subscribe: 1, unsubscribe: 1 },
  },
  {
    what: "a call that asks one question, answered on the same node",
    does: async ({ measured, session }) => {
      assert.ok((await measured.answer(session, measured.node(0), measured.node(0)))?.result);
    },
    costs: { get: 2, append: 3, read: 1, publish: 3, subscribe: 1, unsubscribe: 1 },
  },
  {
    what: "a call that asks one question, answered on another node",
    before: (scene) => call(scene, 1, "quick"),
    does: async ({ measured, session }) => {
      assert.ok((await measured.answer(session, measured.node(0), measured.node(1)))?.result);
    },
    costs: { get: 2, append: 3, read: 1, publish: 4, subscribe: 1, unsubscribe: 1 },
  },
  {
    what: "a cancellation that arrives on another node",
    before: async (scene) => {
      const { measured, session } = scene;
      await call(scene, 1, "quick");
      void session.request(measured.node(0), 9, "tools/call", { name: "wait" });
      await measured.waiting.until(1);
    },
    does: async ({ measured, session }) => {
      await session.notify(measured.node(1), "notifications/cancelled", { requestId: 9 });
      await until(() => measured.waiting.all[0]?.aborted);
    },
    costs: { get: 1, publish: 3 },
  },
  {
    what: "a call without a session, 2026-07-28",
    does: ({ measured }) => askAlone(measured.node(0), "tools/call", { name: "quick" }),
    costs: {},
  },
];

const changes: readonly Row[] = [
  {
    what: "opening the standing stream",
    before: (scene) => subscribe(scene, 1),
    does: ({ measured, session }) => listen(session, measured.node(0)),
    costs: { get: 2, set: 1, append: 1, read: 3, publish: 1, subscribe: 3, unsubscribe: 1 },
  },
  {
    what: "subscribing to a resource",
    does: ({ measured, session }) => session.ask(measured.node(0), 3, "resources/subscribe", { uri: motd }),
    costs: { get: 1, set: 1, publish: 1 },
  },
  {
    what: "a changed resource with 1 subscriber",
    before: (scene) => subscribe(scene, 1),
    does: async ({ measured }) => measured.node(1).app.notifyResourceUpdated(motd),
    costs: { append: 1, publish: 1 },
  },
  {
    what: "a changed resource with 100 subscribers on three nodes",
    before: (scene) => subscribe(scene, 100),
    does: async ({ measured }) => measured.node(1).app.notifyResourceUpdated(motd),
    costs: { append: 1, publish: 1 },
  },
  {
    what: "a changed list",
    before: (scene) => subscribe(scene, 3),
    does: async ({ measured }) => measured.node(1).app.tools.delete("quick"),
    costs: { append: 1, publish: 1 },
  },
];

const tasks: readonly Row[] = [
  {
    what: "a task of the extension, from its creation to its end",
    does: ({ measured }) => askAlone(measured.node(0), "tools/call", { name: "dig" }),
    costs: { get: 2, set: 4, publish: 2, subscribe: 1, unsubscribe: 1 },
  },
  {
    what: "polling it on the node that has it, once",
    before: (scene) => dig(scene),
    does: async ({ measured }) => assert.ok(await askAlone(measured.node(0), "tasks/get", { taskId: latest })),
    costs: { get: 1 },
  },
  {
    what: "polling it on another node, once",
    before: (scene) => dig(scene),
    does: async ({ measured }) => assert.ok(await askAlone(measured.node(1), "tasks/get", { taskId: latest })),
    costs: { get: 1 },
  },
  {
    what: "a task of 2025-11-25, from its creation to its end",
    does: (scene) => call(scene, 0, "dig", { task: {} }),
    costs: { get: 4, set: 4, append: 1, publish: 3, subscribe: 1, unsubscribe: 1 },
  },
  {
    what: "its result, on another node that knows the session",
    before: async (scene) => {
      const { task } = (await call(scene, 0, "dig", { task: {} })) as { task: JsonObject };
      latest = task.taskId;
      await call(scene, 1, "quick");
    },
    does: ({ measured, session }) => session.ask(measured.node(1), 3, "tasks/result", { taskId: latest }),
    costs: { get: 2 },
  },
];

const idle: readonly Row[] = [
  {
    what: "five minutes of three nodes that nobody uses",
    does: ({ measured }) => measured.pass(300),
    costs: { get: 270, set: 540 },
  },
  {
    what: "five minutes of them with 100 open sessions",
    before: async ({ measured }) => {
      for (let count = 0; count < 100; count += 1) {
        await measured.open();
      }
    },
    does: ({ measured }) => measured.pass(300),
    costs: { get: 270, set: 540 },
  },
  {
    what: "five minutes of them with 100 open sessions that hold the standing stream",
    before: (scene) => subscribe(scene, 100),
    does: ({ measured }) => measured.pass(300),
    costs: { get: 270, set: 1540, append: 200, publish: 200 },
  },
];

const tables: { readonly [title: string]: readonly Row[] } = {
  "of sessions": handshake,
  "of calls": calls,
  "of changes and who is told of them": changes,
  "of tasks": tasks,
  "of time that passes": idle,
};

for (const [title, rows] of Object.entries(tables)) {
  describe(`operations of a shared store ${title}`, () => {
    for (const { what, before, does, costs } of rows) {
      it(what, async () => {
        const measured = new MeasuredFleet();
        await measured.warmUp();
        const scene = { measured, session: await measured.open() };
        await before?.(scene);
        const taken = await measured.measure(() => does(scene));
        assert.deepEqual(taken.costs, costs, taken.steps.slice(0, 50).join("\n"));
      });
    }
  });
}
