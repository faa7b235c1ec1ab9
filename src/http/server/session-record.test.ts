import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SessionExpiredError } from "../../protocol/errors.ts";
import type { SessionState } from "../../revision/exchange.ts";
import { createMemoryStore } from "../../store/memory.ts";
import { createFakeClock } from "../../test/clock.ts";
import { type RecordPlace, SessionRecord } from "./session-record.ts";

const identity = { id: "s", owner: "o", principal: "p" };
const state: SessionState = {
  revision: "2025-06-18",
  clientInfo: { name: "client", version: "1" },
  capabilities: {},
  initialized: false,
};

/** A kept record, and the place it is kept in with what happened there. */
async function keep() {
  const clock = createFakeClock(1_000_000);
  const counts = { reads: 0, writes: 0 };
  const store = createMemoryStore({ clock });
  const place: RecordPlace = {
    clock,
    ttlMs: 1_000,
    store: {
      get: (key) => {
        counts.reads += 1;
        return store.get(key);
      },
      set: (key, value, options) => {
        counts.writes += 1;
        return store.set(key, value, options);
      },
      delete: (key, options) => store.delete(key, options),
      keys: (prefix) => store.keys(prefix),
    },
  };
  const record = new SessionRecord(place, identity);
  await record.update(() => state);
  return { clock, counts, place, store, record };
}

async function load(place: RecordPlace): Promise<SessionRecord> {
  const record = await SessionRecord.load(place, "s");
  assert.ok(record);
  return record;
}

describe("SessionRecord", () => {
  it("begins with its first update, and is then what every node finds", async () => {
    const { place, record } = await keep();
    const other = await load(place);
    assert.deepEqual([other.id, other.owner, other.principal, other.state], ["s", "o", "p", state]);
    assert.deepEqual([record.revision.id, other.revision.id], [state.revision, state.revision]);
    assert.equal(await SessionRecord.load(place, "t"), undefined);
  });

  it("shows a change to the other nodes with the next read, and reads nothing anew that has not changed", async () => {
    const { place, record } = await keep();
    const other = await load(place);
    await record.update((known = state) => ({ ...known, logLevel: "error" }));
    const before = other.state;
    assert.deepEqual([await other.refresh(), other.state?.logLevel], [true, "error"]);
    assert.notEqual(other.state, before);
    const read = other.state;
    await other.refresh();
    assert.equal(other.state, read);
  });

  it("loses no change of several nodes at once: each is made on the newer state", async () => {
    const { place, record } = await keep();
    const nodes = [record, await load(place), await load(place)];
    const subscribe = (uri: string) => (known: SessionState | undefined) => ({
      ...(known ?? state),
      subscriptions: [...(known?.subscriptions ?? []), uri],
    });
    await Promise.all(
      nodes.flatMap((node, index) => [node.update(subscribe(`a${index}`)), node.update(subscribe(`b${index}`))]),
    );
    await record.refresh();
    assert.deepEqual([...(record.state?.subscriptions ?? [])].sort(), ["a0", "a1", "a2", "b0", "b1", "b2"]);
  });

  it("throws what a change throws, and then changes nothing", async () => {
    const { counts, record } = await keep();
    const refused = record.update(() => {
      throw new Error("no");
    });
    await assert.rejects(refused, /no/);
    assert.deepEqual([record.state, counts.writes], [state, 1]);
  });

  it("writes nothing for a change that changes nothing", async () => {
    const { counts, record } = await keep();
    await record.update((known = state) => known);
    assert.equal(counts.writes, 1);
  });

  it("tells of an end elsewhere, and lets nobody bring the session back", async () => {
    const { place, record } = await keep();
    const other = await load(place);
    await other.delete();
    await assert.rejects(
      record.update((known = state) => ({ ...known, logLevel: "error" })),
      SessionExpiredError,
    );
    assert.equal(await record.refresh(), false);
    assert.equal(await record.renew(), false);
    assert.equal(await SessionRecord.load(place, "s"), undefined);
  });

  it("refuses an id that another session has [HTTP-040]", async () => {
    const { place } = await keep();
    const second = new SessionRecord(place, { ...identity, owner: "other" });
    await assert.rejects(
      second.update(() => state),
      /createSessionId: expected an id that is not in use/,
    );
    assert.equal(second.isKept, false);
    assert.match(String(second.fault), /UsageError/);
    assert.equal((await load(place)).owner, "o");
  });

  it("is gone after its time, which is put off once in a tenth of it and not more often", async () => {
    const { clock, counts, place, record } = await keep();
    assert.equal(record.isDue, false);
    await clock.advance(99);
    assert.equal(record.isDue, false);
    await clock.advance(1);
    assert.equal(record.isDue, true);
    assert.equal(await record.renew(), true);
    assert.deepEqual([record.isDue, counts.writes], [false, 2]);
    await clock.advance(999);
    assert.equal(await record.refresh(), true);
    await clock.advance(1);
    assert.equal(await SessionRecord.load(place, "s"), undefined);
  });

  it("is put off by a node that has not read it since another changed it, with the change", async () => {
    const { clock, place, record } = await keep();
    const other = await load(place);
    await other.update((known = state) => ({ ...known, logLevel: "error" }));
    await clock.advance(900);
    assert.equal(await record.renew(), true);
    await clock.advance(900);
    assert.equal((await load(place)).state?.logLevel, "error");
  });

  it("stays for ever where nothing is idle for too long", async () => {
    const { clock, place } = await keep();
    const forever = { ...place, ttlMs: Number.POSITIVE_INFINITY };
    const record = new SessionRecord(forever, { ...identity, id: "t" });
    await record.update(() => state);
    await clock.advance(1e12);
    assert.equal(await record.refresh(), true);
    assert.equal(record.isDue, false);
  });

  it("keeps what it wrote where an older read comes back later", async () => {
    const { store, clock } = await keep();
    let release: () => void = () => undefined;
    let isHeld = false;
    const slow: RecordPlace = {
      clock,
      ttlMs: 1_000,
      store: {
        ...{ set: store.set.bind(store), delete: store.delete.bind(store), keys: store.keys.bind(store) },
        get: async (key) => {
          const found = await store.get(key);
          if (isHeld) {
            await new Promise<void>((resolve) => {
              release = resolve;
            });
          }
          return found;
        },
      },
    };
    const record = await load(slow);
    await (await load({ ...slow, store })).update((known = state) => ({ ...known, logLevel: "debug" }));
    await record.refresh();
    isHeld = true;
    const reading = record.refresh();
    await new Promise((resolve) => setImmediate(resolve));
    isHeld = false;
    await record.update((known = state) => ({ ...known, logLevel: "error" }));
    release();
    assert.equal(await reading, true);
    assert.equal(record.state?.logLevel, "error");
  });

  it("takes what another node says that it wrote, until it reads what is kept", async () => {
    const { place, record } = await keep();
    const other = await load(place);
    await other.update((known = state) => ({ ...known, logLevel: "error" }));
    record.hear({ ...state, logLevel: "debug" });
    assert.equal(record.state?.logLevel, "debug");
    record.hear({ revision: 5 });
    assert.equal(record.state?.logLevel, "debug");
    await record.update((known = state) => ({ ...known, initialized: true }));
    assert.deepEqual([record.state?.logLevel, record.state?.initialized], ["error", true]);
    const unborn = new SessionRecord(place, { ...identity, id: "t" });
    unborn.hear(state);
    assert.equal(unborn.state, undefined);
  });

  it("writes no change over what is kept, whatever it heard before [RES-009]", async () => {
    const { place, record } = await keep();
    const other = await load(place);
    const subscribe = (to: SessionRecord, uri: string): Promise<void> =>
      to.update((known = state) => ({ ...known, subscriptions: [...(known.subscriptions ?? []), uri] }));
    await subscribe(other, "demo:a");
    const said = other.state;
    await subscribe(record, "demo:b");
    record.hear(said);
    await record.refresh();
    assert.deepEqual([...record.audience.uris], ["demo:a", "demo:b"]);
    record.hear(said);
    await subscribe(record, "demo:c");
    record.hear(said);
    await record.renew();
    await other.refresh();
    assert.deepEqual([...other.audience.uris], ["demo:a", "demo:b", "demo:c"]);
  });

  it("reads again where it heard of a change while it read", async () => {
    const { place, store } = await keep();
    let meanwhile = (): void => undefined;
    const get: RecordPlace["store"]["get"] = async (key) => {
      const stored = await store.get(key);
      meanwhile();
      return stored;
    };
    const record = await load({ ...place, store: { ...place.store, get } });
    const other = await load(place);
    await other.update((known = state) => ({ ...known, logLevel: "error" }));
    const before = other.state;
    await other.update((known = state) => ({ ...known, logLevel: "debug" }));
    meanwhile = () => {
      meanwhile = () => undefined;
      record.hear(before);
    };
    assert.equal(await record.refresh(), true);
    assert.equal(record.state?.logLevel, "debug");
  });

  it("names the changes that concern its client: none before it is ready [LIFE-008] [RES-009]", async () => {
    const { record } = await keep();
    await record.update((known = state) => ({ ...known, listChanges: ["tools"], subscriptions: ["demo:a"] }));
    assert.deepEqual([record.audience.lists.has("tools"), record.audience.uris.has("demo:a")], [false, true]);
    await record.update((known = state) => ({ ...known, initialized: true }));
    assert.deepEqual([record.audience.lists.has("tools"), record.audience.lists.has("prompts")], [true, false]);
    assert.equal(record.audience, record.audience);
  });

  it("is unknown where what is kept is not what it wrote", async () => {
    const { place, record, store } = await keep();
    for (const text of ["{", "[]", '{"owner":"o"}', '{"owner":"o","state":{"revision":1}}']) {
      await store.set("session/s", text);
      assert.equal(await SessionRecord.load(place, "s"), undefined);
      assert.equal(await record.refresh(), false);
    }
  });
});
