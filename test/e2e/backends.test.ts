// Sessions, event streams and tasks over each backend: two nodes that take turns, and nothing that only one of them knows.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "parley-mcp";
import { defineServer, resource, type Server, tool } from "parley-mcp/server";
import type { Store } from "parley-mcp/store";
import { type BackendPlace, backends } from "../fixtures/backends.ts";
import { Fleet, type Node, url } from "../fixtures/nodes.ts";
import { type RawEvent, RawSession, readEvents } from "../fixtures/raw-session.ts";
import { Arrivals, type Happening, happening } from "../fixtures/signals.ts";
import { askAlone, CoreClient } from "../fixtures/task-requests.ts";
import { within } from "../fixtures/within.ts";

const motd = "note:///motd";
const form = { type: "object", properties: {} } as const;

/** Two nodes over a backend, and what their tools are doing. */
class Scene {
  readonly fleet: Fleet;
  /** Each call of the tool that works in steps. */
  readonly began: Arrivals<string> = new Arrivals();
  readonly gate: Happening = happening();
  readonly #place: BackendPlace;

  constructor(place: BackendPlace) {
    this.#place = place;
    this.fleet = new Fleet(2, (store) => this.#define(store), { store: place.open(), retryMs: 1, leaseMs: 1_000 });
  }

  get nodes(): readonly [Node, Node] {
    return [this.fleet.node(0), this.fleet.node(1)];
  }

  async close(): Promise<void> {
    this.gate.happen();
    await this.fleet.close();
    await Promise.all(this.fleet.nodes.map(({ app }) => app.close()));
    await this.#place.remove();
  }

  #define(store: Store): Server {
    return defineServer({
      name: "backends",
      version: "1.0.0",
      store,
      resources: { motd: resource({ uri: motd }, () => "Good morning") },
      tools: {
        quick: tool({ description: "Answers" }, () => "quick"),
        work: tool({ description: "Works in five steps" }, async (_, { progress }) => {
          this.began.take("work");
          progress(1, 5);
          progress(2, 5);
          await this.gate.promise;
          progress(3, 5);
          progress(4, 5);
          progress(5, 5);
          return "done";
        }),
        asking: tool({ description: "Asks", task: "optional" }, async (_, ctx) => {
          await ctx.beginTask();
          return (await ctx.elicit("Go on?", form)).action;
        }),
      },
    });
  }
}

/** The steps that events tell of; the answer is the last of them. */
function stepsOf(events: readonly RawEvent[]): unknown[] {
  return events.flatMap(({ message }) => {
    if (message === undefined) {
      return [];
    }
    return [message.params?.progress ?? (message.result?.content as JsonObject[] | undefined)?.[0]?.text ?? message];
  });
}

/** Reads events until one says so, and leaves the stream there; all that there are where none does. */
async function take(response: Response, isLast: (event: RawEvent) => boolean = () => false): Promise<RawEvent[]> {
  assert.equal(response.status, 200, response.status === 200 ? "" : await response.clone().text());
  const events: RawEvent[] = [];
  for await (const event of readEvents(response)) {
    events.push(event);
    if (isLast(event)) {
      break;
    }
  }
  return events;
}

const work = (id: number): JsonObject => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name: "work", _meta: { progressToken: id } },
});

/** What needs a session, without its header. */
function sendWithoutSession({ fetch }: Node): Promise<Response> {
  const headers = {
    accept: "application/json, text/event-stream",
    "content-type": "application/json",
    "mcp-protocol-version": "2025-11-25",
  };
  const { signal } = new AbortController();
  return fetch(url, { method: "POST", headers, redirect: "manual", signal, body: JSON.stringify(work(1)) });
}

const isStep = (step: number) => (event: RawEvent) => event.message?.params?.progress === step;

/** What holds over each backend. */
const scenarios: readonly { readonly title: string; readonly run: (scene: Scene) => Promise<void> }[] = [
  {
    title:
      "serve a session from its handshake to its end, and know no other [HTTP-039] [HTTP-040] [HTTP-041] [HTTP-044] [HTTP-045]",
    run: async (scene) => {
      const [here, there] = scene.nodes;
      const session = await RawSession.open(here, { initializedAt: there });
      const other = await RawSession.open(there);
      assert.match(session.id, /^[\x21-\x7e]{22,}$/);
      assert.notEqual(session.id, other.id);
      for (const [id, node] of [here, there, here, there].entries()) {
        const { content } = await session.ask(node, id, "tools/call", { name: "quick" });
        assert.deepEqual(content, [{ type: "text", text: "quick" }]);
      }
      for (const node of [here, there]) {
        assert.equal((await sendWithoutSession(node)).status, 400);
      }
      const standing = await session.listen(here);
      assert.equal((await session.delete(there)).status, 204);
      // The stream that was open on the other node ends with the session.
      await take(standing);
      for (const node of [here, there]) {
        assert.equal((await session.post(node, { jsonrpc: "2.0", id: 1, method: "ping" })).status, 404);
        assert.equal((await session.listen(node)).status, 404);
        assert.equal((await session.delete(node)).status, 404);
        assert.deepEqual(await other.ask(node, 2, "ping"), {});
      }
    },
  },
  {
    title:
      "go on with each other's event streams, each behind the last event that its client has [HTTP-033] [HTTP-034] [HTTP-035] [HTTP-036] [HTTP-037] [HTTP-038]",
    run: async (scene) => {
      const [here, there] = scene.nodes;
      const session = await RawSession.open(here);
      const [first, second] = await Promise.all(
        [1, 2].map(async (id) => take(await session.post(here, work(id)), isStep(2))),
      );
      assert.ok(first && second);
      const ids = [...first, ...second].map(({ id }) => id);
      assert.equal(new Set(ids).size, ids.length);
      assert.ok(ids.every((id) => id !== undefined && id !== ""));
      const resumed = await session.listen(there, first.find(isStep(1))?.id);
      scene.gate.happen();
      const rest = await take(resumed);
      assert.deepEqual(stepsOf(rest), [2, 3, 4, 5, "done"]);
      // The whole stream once more, and the other one, each from where it was asked for.
      assert.deepEqual(stepsOf(await take(await session.listen(here, rest.find(isStep(4))?.id))), [5, "done"]);
      const others = await take(await session.listen(there, second.at(-1)?.id));
      assert.deepEqual(stepsOf(others), [3, 4, 5, "done"]);
      assert.ok(others.every(({ message }) => (message?.id ?? message?.params?.progressToken ?? 2) === 2));
      assert.equal(scene.began.all.length, 2);
      const stranger = await RawSession.open(there);
      const refused = await stranger.listen(there, first[0]?.id);
      assert.ok(refused.status >= 400 && refused.status < 500, String(refused.status));
    },
  },
  {
    title:
      "hold the standing stream in turn, and tell on it what belongs to no request [HTTP-030] [HTTP-031] [HTTP-032] [HTTP-037]",
    run: async (scene) => {
      const [here, there] = scene.nodes;
      const session = await RawSession.open(here);
      await session.ask(there, 1, "resources/subscribe", { uri: motd });
      const isUpdate = ({ message }: RawEvent): boolean => message?.method === "notifications/resources/updated";
      const reading = session.listen(here).then((response) => take(response, isUpdate));
      await session.ask(there, 2, "tools/call", { name: "quick" });
      there.app.notifyResourceUpdated(motd);
      const events = await reading;
      assert.deepEqual(
        events.flatMap(({ message }) => message?.method ?? []),
        ["notifications/resources/updated"],
      );
      here.app.notifyResourceUpdated(motd);
      const missed = await take(await session.listen(there, events.at(-1)?.id), isUpdate);
      assert.equal(missed.filter(isUpdate).length, 1);
      const replaced = await session.listen(here);
      const newest = await session.listen(there);
      assert.deepEqual((await take(replaced)).filter(isUpdate), []);
      const heard = take(newest, isUpdate);
      here.app.notifyResourceUpdated(motd);
      assert.equal((await heard).filter(isUpdate).length, 1);
      assert.deepEqual(await session.ask(here, 3, "ping"), {});
    },
  },
  {
    title: "carry a task of 2025-11-25, asked for and answered on either [TASK-029] [TASK-035]",
    run: async (scene) => {
      const [here, there] = scene.nodes;
      const client = await CoreClient.open(here);
      const { task } = (await client.ask(here, "tools/call", { name: "asking", task: {} })) as { task: JsonObject };
      const { taskId } = task;
      const result = await client.ask(there, "tasks/result", { taskId });
      assert.deepEqual(result.content, [{ type: "text", text: "accept" }]);
      assert.equal(client.asked.length, 1);
      assert.equal((await client.ask(here, "tasks/get", { taskId })).status, "completed");
    },
  },
  {
    title: "carry a task of the extension, asked for and answered on either [X-TASK-015]",
    run: async (scene) => {
      const [here, there] = scene.nodes;
      const { taskId } = await askAlone(here, "tools/call", { name: "asking" });
      const reach = async (node: Node, status: string): Promise<JsonObject> => {
        for (;;) {
          const state = await askAlone(node, "tasks/get", { taskId });
          if (state.status === status) {
            return state;
          }
          assert.ok(["working", "input_required"].includes(String(state.status)), JSON.stringify(state));
        }
      };
      const [key = ""] = Object.keys((await reach(there, "input_required")).inputRequests as JsonObject);
      await askAlone(there, "tasks/update", { taskId, inputResponses: { [key]: { action: "accept", content: {} } } });
      const { result } = (await reach(there, "completed")) as { result: JsonObject };
      assert.deepEqual(result.content, [{ type: "text", text: "accept" }]);
      assert.deepEqual(await askAlone(here, "tasks/get", { taskId }).then((state) => state.result), result);
    },
  },
];

for (const [name, { skip, create }] of Object.entries(backends)) {
  describe(`two nodes that take turns, over ${name}`, { skip }, () => {
    for (const { title, run } of scenarios) {
      it(title, async () => {
        const scene = new Scene(create());
        try {
          await within(run(scene), title, 30_000);
        } finally {
          await scene.close();
        }
      });
    }
  });
}
