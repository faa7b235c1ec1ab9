import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { z } from "zod";
import { ProbedStore } from "../../../test/fixtures/probed-store.ts";
import { errorOf, identity, resultOf } from "../../../test/fixtures/server-calls.ts";
import { ableClient, askedIn, callInRounds, sendAlone } from "../../../test/fixtures/stateless.ts";
import type { Diagnostic } from "../../base/diagnostic.ts";
import type { Store } from "../../store/contracts.ts";
import { createFakeClock } from "../../test/clock.ts";
import { defineServer } from "../define.ts";
import { tool } from "../features/tool.ts";
import type { ServerOptions } from "../options.ts";
import type { Server } from "../server.ts";
import { SharedKeys } from "./request-state-keys.ts";

const day = 86_400_000;

function createNode(store: Store | undefined, more: Partial<ServerOptions> = {}): Server {
  const greet = tool({}, async (_args, ctx) => {
    const who = await ctx.elicit("Who?", z.object({ name: z.string() }));
    const day = await ctx.elicit("Which day?", z.object({ name: z.string() }));
    return [who, day].map((answer) => (answer.action === "accept" ? answer.content.name : answer.action)).join();
  });
  return defineServer({ ...identity, tools: { greet }, store, ...more } as never);
}

const answer = (): unknown => ({ action: "accept", content: { name: "ada" } });

describe("processes that share a store and no keys", () => {
  it("answer each other's questions, at whichever of them each round arrives [M-MRTR-007] [PP-113]", async () => {
    const store = new ProbedStore();
    const diagnostics: Diagnostic[] = [];
    const nodes = [0, 1, 2].map(() =>
      createNode(store, { onDiagnostic: (diagnostic) => diagnostics.push(diagnostic) }),
    );
    const { response, rounds } = await callInRounds(
      nodes as [Server, ...Server[]],
      "tools/call",
      { name: "greet" },
      answer,
    );
    assert.equal(rounds.length, 2);
    assert.equal(resultOf(response).content[0]?.text, "ada,ada");
    assert.deepEqual(diagnostics, []);
  });

  it("refuse a state at one that was used at another [M-MRTR-013] [PP-113]", async () => {
    const store = new ProbedStore();
    const [one, other] = [createNode(store), createNode(undefined)];
    other.useStore(store);
    const options = { capabilities: ableClient };
    const { requestState, inputRequests } = askedIn(await sendAlone(one, "tools/call", { name: "greet" }, options));
    const inputResponses = Object.fromEntries(Object.keys(inputRequests).map((key) => [key, answer()]));
    const again = { name: "greet", requestState, inputResponses } as never;
    askedIn(await sendAlone(one, "tools/call", again, options));
    const { code, message } = errorOf(await sendAlone(other, "tools/call", again, options));
    assert.equal(code, -32602);
    assert.match(message, /used before/);
    const used = (await store.allKeys()).filter((key) => key.startsWith("request-state/used/"));
    assert.equal(used.length, 1);
  });

  it("need nothing else to be told that they are many", () => {
    createNode(new ProbedStore(), { requestState: { processes: "many" } });
    createNode(new ProbedStore(), { requestState: { claim: () => true } });
  });

  it("use the author's keys where there are any", async () => {
    const store = new ProbedStore();
    const node = createNode(store, { requestState: { keys: [new Uint8Array(32).fill(7)] } });
    askedIn(await sendAlone(node, "tools/call", { name: "greet" }, { capabilities: ableClient }));
    assert.deepEqual(await store.allKeys(), []);
  });

  it("refuse a call while the store is out of reach, and serve it afterwards", async () => {
    const store = new ProbedStore();
    const [one, faults] = [createNode(store, { onError: (error) => faults.push(error) }), [] as unknown[]];
    const options = { capabilities: ableClient };
    store.isDown = true;
    assert.equal(errorOf(await sendAlone(one, "tools/call", { name: "greet" }, options)).message, "internal error");
    assert.match(String(faults[0]), /out of reach/);
    store.isDown = false;
    askedIn(await sendAlone(one, "tools/call", { name: "greet" }, options));
  });
});

describe("SharedKeys", () => {
  it("agree on one random key a day, also when they begin at once [M-MRTR-015] [PP-113]", async () => {
    const [store, clock] = [new ProbedStore(), createFakeClock(day * 20_000)];
    const [one, other] = [0, 1].map(() => new SharedKeys(store, 600_000, clock.now)) as [SharedKeys, SharedKeys];
    const [mine, theirs] = await Promise.all([one.newest(), other.newest()]);
    assert.deepEqual(mine, theirs);
    assert.equal(mine.bytes.length, 32);
    await clock.advance(day);
    const next = await one.newest();
    assert.notDeepEqual(next.bytes, mine.bytes);
    assert.notEqual(next.name, mine.name);
  });

  it("open what yesterday's key sealed, and not what an older one did", async () => {
    const clock = createFakeClock(day * 20_000);
    const store = new ProbedStore({ clock });
    const keys = new SharedKeys(store, 600_000, clock.now);
    const { name, bytes } = await keys.newest();
    await clock.advance(day);
    const [candidate] = keys.candidates(name);
    assert.deepEqual(await candidate?.(), bytes);
    await clock.advance(day);
    assert.deepEqual(keys.candidates(name), []);
    await clock.advance(day);
    assert.deepEqual(await store.allKeys(), []);
  });

  it("look in the store for no name that a client made up", () => {
    const keys = new SharedKeys(new ProbedStore(), 600_000, () => day * 20_000);
    for (const name of [undefined, "", "x", "../session/1", "20000.0", "1e4", "20002", "-1"]) {
      assert.deepEqual(keys.candidates(name), [], name);
    }
  });

  it("heal where the store was emptied, or holds what is no key", async () => {
    const store = new ProbedStore();
    const keys = new SharedKeys(store, 600_000, () => day * 20_000);
    const { name, bytes } = await keys.newest();
    await store.set(`request-state/key/${name}`, "nonsense");
    const [candidate] = keys.candidates(name);
    assert.equal(await candidate?.(), undefined);
    const healed = await keys.newest();
    assert.notDeepEqual(healed.bytes, bytes);
    assert.deepEqual(await candidate?.(), healed.bytes);
  });

  it("last as long as a state is good, where that is longer than a day", async () => {
    const clock = createFakeClock(day * 20_000);
    const keys = new SharedKeys(new ProbedStore({ clock }), 5 * day, clock.now);
    const { name, bytes } = await keys.newest();
    await clock.advance(5 * day - 1);
    const [candidate] = keys.candidates(name);
    assert.deepEqual(await candidate?.(), bytes);
  });
});
