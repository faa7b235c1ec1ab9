/** What every Bus promises, as tests. The end of a store is closing.node.ts. */
import assert from "node:assert/strict";
import type { BusListener, Store } from "../../store/contracts.ts";
import { oddNames } from "./odd-names.ts";
import type { SuiteLimits } from "./opened.ts";
import type { Promised } from "./promised.node.ts";
import type { TestTime } from "./test-time.ts";

/** A listener that remembers. */
export class Ear implements BusListener {
  readonly heard: string[] = [];
  timesMissed = 0;
  stop: () => void = () => undefined;

  /** Begins to listen. */
  static async on(store: Store, topic: string): Promise<Ear> {
    const ear = new Ear();
    ear.stop = await store.subscribe(topic, ear);
    return ear;
  }

  message(text: string): void {
    this.heard.push(text);
  }

  missed(): void {
    this.timesMissed += 1;
  }
}

/** Registers the tests of who hears what. */
export function describeBus(promise: Promised<Store>): void {
  promise("brings a message to every listener, its sender's own included, once", async ({ store, other, time }) => {
    const ears = [await Ear.on(store, "t"), await Ear.on(store, "t"), await Ear.on(other, "t")];
    await store.publish("t", "from one");
    await other.publish("t", "from the other");
    await time.until("two messages everywhere", () => ears.every(({ heard }) => heard.length >= 2));
    await store.publish("t", "last");
    await time.until("the last message everywhere", () => ears.every(({ heard }) => heard.includes("last")));
    for (const { heard } of ears) {
      assert.deepEqual([...heard].sort(), ["from one", "from the other", "last"]);
    }
  });

  promise("brings the messages of a publisher in order", async ({ store, other, time }) => {
    const ears = [await Ear.on(store, "t"), await Ear.on(other, "t")];
    const numbers = Array.from({ length: 200 }, (_, index) => index);
    await Promise.all(
      numbers.flatMap((number) => [store.publish("t", `one ${number}`), other.publish("t", `two ${number}`)]),
    );
    await time.until("all messages", () => ears.every(({ heard }) => heard.length >= 400));
    for (const { heard } of ears) {
      for (const publisher of ["one", "two"]) {
        const own = heard.filter((text) => text.startsWith(publisher)).map((text) => Number(text.slice(4)));
        assert.equal(own.join(), numbers.join());
      }
    }
  });

  promise("misses nothing that is published once `subscribe` has resolved", async ({ store, other, time }) => {
    for (let round = 0; round < 20; round += 1) {
      const ear = await Ear.on(store, `t${round}`);
      await other.publish(`t${round}`, "at once");
      await time.until("a message published at once", () => ear.heard.length > 0);
      assert.deepEqual(ear.heard, ["at once"]);
    }
  });

  promise("keeps nothing for those who come later, and needs nobody to listen", async ({ store, other, time }) => {
    await store.publish("t", "early");
    const ear = await Ear.on(other, "t");
    await store.publish("t", "late");
    await time.until("a message", () => ear.heard.includes("late"));
    assert.deepEqual(ear.heard, ["late"]);
  });

  promise("keeps topics apart, whatever their names", async ({ store, other, time }) => {
    const ears = new Map<string, Ear>();
    for (const topic of oddNames) {
      ears.set(topic, await Ear.on(store, topic));
    }
    for (const topic of [...oddNames, "b", "aa"]) {
      await other.publish(topic, `to ${topic}`);
    }
    await time.until("a message in each topic", () => [...ears.values()].every(({ heard }) => heard.length > 0));
    for (const [topic, { heard }] of ears) {
      assert.deepEqual(heard, [`to ${topic}`]);
    }
  });
}

/** Registers the tests of what is said, of listeners that fail, and of those that go. */
export function describeListeners(promise: Promised<Store>, { maxMessageLength = 100_000 }: BusLimits): void {
  promise("carries any text, an empty one and a large one too", async ({ store, other, time }) => {
    const ear = await Ear.on(other, "t");
    const texts = [...oddNames, "x🙂".repeat(Math.floor(maxMessageLength / 3)), "end"];
    for (const text of texts) {
      await store.publish("t", text);
    }
    await time.until("the last message", () => ear.heard.includes("end"));
    assert.equal(ear.heard.length, texts.length);
    const wrong = texts.filter((text, index) => text !== ear.heard[index]).map(({ length }) => `${length} characters`);
    assert.deepEqual(wrong, [], "expected every message as it was published");
  });

  promise("says nothing more to who has stopped, from that moment on", async ({ store, other, time }) => {
    const stays = await Ear.on(store, "t");
    const goes = await Ear.on(store, "t");
    await other.publish("t", "before");
    await time.until("a message", () => stays.heard.length > 0 && goes.heard.length > 0);
    const onItsWay = other.publish("t", "on its way");
    const known = [...goes.heard];
    goes.stop();
    goes.stop();
    await onItsWay;
    await other.publish("t", "after");
    await time.until("the last message", () => stays.heard.includes("after"));
    assert.deepEqual(goes.heard, known);
    assert.deepEqual(stays.heard, ["before", "on its way", "after"]);
    stays.stop();
    const again = await Ear.on(store, "t");
    await other.publish("t", "again");
    await time.until("a message to who came back", () => again.heard.length > 0);
    assert.deepEqual([again.heard, stays.heard.length], [["again"], 3]);
  });
}

/** Registers the tests of listeners that do something. */
export function describeBusyListeners(promise: Promised<Store>): void {
  promise("lets a listener stop itself and others while it is told", async ({ store, other, time }) => {
    const [first, second, last] = [await Ear.on(store, "t"), await Ear.on(store, "t"), await Ear.on(store, "t")];
    first.message = (text) => {
      first.heard.push(text);
      first.stop();
      second.stop();
    };
    await Promise.all(["a", "b", "c"].map((text) => other.publish("t", text)));
    await time.until("all messages", () => last.heard.length === 3);
    assert.deepEqual([first.heard, last.heard], [["a"], ["a", "b", "c"]]);
    assert.ok(second.heard.length <= 1, `a stopped listener heard ${second.heard.length} messages`);
  });

  promise("lets no listener that throws harm anybody", async ({ store, other, time }) => {
    const [bad, good] = [await Ear.on(store, "t"), await Ear.on(store, "t")];
    bad.message = (text) => {
      bad.heard.push(text);
      throw new Error("a listener of the test throws");
    };
    await store.publish("t", "a");
    await time.until("a message", () => good.heard.length === 1);
    await other.publish("t", "b");
    await time.until("all messages", () => bad.heard.length === 2 && good.heard.length === 2);
    assert.deepEqual(
      [bad.heard, good.heard],
      [
        ["a", "b"],
        ["a", "b"],
      ],
    );
  });

  promise("lets a listener publish", async ({ store, other, time }) => {
    const [asks, hears] = [await Ear.on(store, "question"), await Ear.on(other, "answer")];
    let published: Promise<void> | undefined;
    asks.message = (text) => {
      published = store.publish("answer", `${text}!`);
    };
    await other.publish("question", "well");
    await time.until("an answer", () => hears.heard.length > 0);
    await published;
    assert.deepEqual(hears.heard, ["well!"]);
  });
}

/** Registers the tests of a connection that is lost. */
export function describeCuts(promise: Promised<Store>): void {
  promise("tells its listeners that they may have missed something, and goes on", async (place) => {
    const { store, other, time, cut, skip } = place;
    if (cut === undefined) {
      return skip("there is no connection to cut");
    }
    const ears = [await Ear.on(store, "t"), await Ear.on(store, "u")];
    await cut();
    await time.until("listeners to be told", () => ears.every(({ timesMissed }) => timesMissed > 0));
    await Promise.all([other.publish("t", "later"), store.publish("u", "later")]);
    await time.until("messages after the cut", () => ears.every(({ heard }) => heard.includes("later")));
  });

  promise("keeps all it kept through a cut, and answers again", async ({ store, time, cut, skip }) => {
    if (cut === undefined) {
      return skip("there is no connection to cut");
    }
    await store.set("k", "v");
    const entry = await store.append("l", "v");
    await cut();
    const found = await askAgain(time, () => store.get("k"));
    const slice = await askAgain(time, () => store.read("l"));
    assert.equal(found?.value, "v");
    assert.deepEqual(
      slice?.entries.map((each) => ({ ...each })),
      [{ ...entry }],
    );
  });
}

/** What differs from one bus to another. */
export interface BusLimits extends SuiteLimits {
  /** Length of the largest message that is tried, in characters. Default 100 000. */
  readonly maxMessageLength?: number | undefined;
}

/** Asks until there is an answer: a store whose connection was just cut may reject, but never say "absent". */
async function askAgain<T>(time: TestTime, ask: () => Promise<T>): Promise<T | undefined> {
  let answer: T | undefined;
  await time.until("an answer after the cut", async () => {
    try {
      answer = await ask();
      return true;
    } catch {
      return false;
    }
  });
  return answer;
}
