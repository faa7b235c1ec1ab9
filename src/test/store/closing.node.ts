/** What every Store promises of its end and of a place that cannot be reached, as tests. */
import assert from "node:assert/strict";
import type { Store } from "../../store/contracts.ts";
import { StoreError } from "../../store/error.ts";
import { Ear } from "./bus.node.ts";
import type { Promised } from "./promised.node.ts";
import { listKeys } from "./values.node.ts";

/** Fails unless each method rejects as it must where nothing can be reached. */
export async function assertUnavailable(store: Store): Promise<void> {
  const calls: Record<string, () => Promise<unknown>> = {
    get: () => store.get("k"),
    set: () => store.set("k", "v"),
    delete: () => store.delete("k"),
    keys: () => listKeys(store, ""),
    append: () => store.append("l", "v"),
    read: () => store.read("l"),
    drop: () => store.drop("l"),
    publish: () => store.publish("t", "v"),
    subscribe: () => store.subscribe("t", new Ear()),
  };
  for (const [name, call] of Object.entries(calls)) {
    await assert.rejects(
      call(),
      (error) => error instanceof StoreError && error.failure === "unavailable",
      `expected ${name} to reject with a StoreError of failure "unavailable"`,
    );
  }
}

/** Registers the tests. */
export function describeClosing(promise: Promised<Store>): void {
  promise("rejects every call once it is closed, and may be closed again", async ({ store }) => {
    await store.set("k", "v");
    const stop = await store.subscribe("t", new Ear());
    await store.close();
    await assertUnavailable(store);
    await store.close();
    stop();
  });

  promise("may be closed before it was used", async ({ store }) => {
    await store.close();
    await assertUnavailable(store);
  });

  promise("says nothing more to its listeners once it is closed", async ({ store, other, time }) => {
    const ear = await Ear.on(store, "t");
    await store.publish("t", "before");
    await time.until("a message", () => ear.heard.length > 0);
    const closed = store.close();
    const known = [...ear.heard];
    await closed;
    if (other !== store) {
      const witness = await Ear.on(other, "t");
      await other.publish("t", "after");
      await time.until("a message elsewhere", () => witness.heard.length > 0);
    }
    assert.deepEqual([ear.heard, ear.timesMissed], [known, 0]);
  });

  promise("leaves the place to those who have it open", async ({ store, other, time, skip }) => {
    if (other === store) {
      return skip("nobody else has the place open");
    }
    const ear = await Ear.on(other, "t");
    await store.set("k", "v");
    await store.append("l", "v");
    await store.close();
    assert.equal((await other.get("k"))?.value, "v");
    assert.deepEqual(
      (await other.read("l"))?.entries.map(({ value }) => value),
      ["v"],
    );
    await other.publish("t", "still here");
    await time.until("a message", () => ear.heard.length > 0);
    assert.equal(typeof (await other.set("k", "w")), "string");
  });
}
