import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SqlitePlace } from "../../../test/fixtures/sqlite-place.ts";
import { turn } from "../../../test/fixtures/turn.ts";
import type { BusListener } from "../contracts.ts";

class Ear implements BusListener {
  readonly heard: string[] = [];
  message(text: string): void {
    this.heard.push(text);
  }
  missed(): void {
    this.heard.push("(missed)");
  }
}

describe("sqlite, as a bus between connections", () => {
  it("tells its own listeners at once, and those elsewhere within the interval", async (context) => {
    const place = new SqlitePlace(context);
    const [store, other] = [place.open({ pollMs: 25 }), place.open({ pollMs: 25 })];
    const [own, far] = [new Ear(), new Ear()];
    await store.subscribe("t", own);
    await other.subscribe("t", far);
    await store.publish("t", "a");
    assert.deepEqual([own.heard, far.heard], [["a"], []]);
    await place.clock.advance(25);
    assert.deepEqual([own.heard, far.heard], [["a"], ["a"]]);
  });

  it("looks for messages only while somebody listens", async (context) => {
    const place = new SqlitePlace(context);
    const store = place.open();
    await store.publish("t", "a");
    const sweeping = place.clock.pendingTimers;
    const stops = [await store.subscribe("t", new Ear()), await store.subscribe("u", new Ear())];
    assert.equal(place.clock.pendingTimers, sweeping + 1);
    stops[0]?.();
    assert.equal(place.clock.pendingTimers, sweeping + 1);
    stops[1]?.();
    assert.equal(place.clock.pendingTimers, sweeping);
    await place.clock.advance(100);
    await store.subscribe("t", new Ear());
    await place.clock.advance(100);
    assert.equal(place.clock.pendingTimers, sweeping + 1);
    await store.close();
    assert.equal(place.clock.pendingTimers, 0);
  });

  it("gives who comes back while nobody listened only what is published from then on", async (context) => {
    const place = new SqlitePlace(context);
    const [store, other] = [place.open(), place.open()];
    const stop = await store.subscribe("t", new Ear());
    stop();
    await other.publish("t", "meanwhile");
    const ear = new Ear();
    await store.subscribe("t", ear);
    await other.publish("t", "after");
    await place.clock.advance(50);
    assert.deepEqual(ear.heard, ["after"]);
  });

  it("brings more messages than are read at a time, each once and in order", async (context) => {
    const place = new SqlitePlace(context);
    const [store, other] = [place.open(), place.open()];
    const ear = new Ear();
    await store.subscribe("t", ear);
    const texts = Array.from({ length: 1_200 }, (_, index) => String(index));
    for (const text of texts) {
      await other.publish("t", text);
    }
    await place.clock.advance(25);
    assert.deepEqual(ear.heard, texts);
    await place.clock.advance(100);
    assert.equal(ear.heard.length, 1_200);
  });

  it("keeps few messages, and tells who did not look in time that it missed some [PP-010]", async (context) => {
    const place = new SqlitePlace(context);
    const [store, other] = [place.open(), place.open()];
    const [ear, elsewhere] = [new Ear(), new Ear()];
    await store.subscribe("t", ear);
    await store.subscribe("u", elsewhere);
    const insert = "INSERT INTO parley_messages(sender, sent_at, topic, message) SELECT 'x', 0, 't', value";
    (await place.openRaw()).exec(
      `${insert} FROM json_each('[${Array.from({ length: 4_200 }, (_, index) => index + 1)}]')`,
    );
    for (let index = 4_201; index <= 5_200; index += 1) {
      await other.publish("t", String(index));
    }
    const kept = await place.count("parley_messages");
    assert.ok(kept >= 4_096 && kept <= 4_096 + 256, `${kept} messages are kept`);
    await place.clock.advance(25);
    await turn();
    const [first, ...texts] = ear.heard;
    assert.equal(first, "(missed)");
    assert.deepEqual(
      texts,
      Array.from({ length: kept }, (_, index) => String(5_200 - kept + 1 + index)),
    );
    assert.deepEqual(elsewhere.heard, ["(missed)"]);
  });

  it("removes messages when they are old, and says so where all were removed unread", async (context) => {
    const place = new SqlitePlace(context);
    const store = place.open({ pollMs: 3_600_000, sweepMs: 1_000_000_000 });
    const other = place.open({ sweepMs: 10_000 });
    const ear = new Ear();
    await store.subscribe("t", ear);
    for (let index = 0; index < 300; index += 1) {
      await other.publish("t", String(index));
    }
    await place.clock.advance(29_999);
    assert.equal(await place.count("parley_messages"), 300);
    await place.clock.advance(10_100);
    assert.equal(await place.count("parley_messages"), 0);
    await place.clock.advance(3_600_000);
    assert.deepEqual(ear.heard, ["(missed)"]);
    await other.publish("t", "later");
    await other.close();
    await place.clock.advance(3_600_000);
    assert.deepEqual(ear.heard, ["(missed)", "later"]);
  });

  it("hears after a time in which the file could not be read what was published meanwhile", async (context) => {
    const place = new SqlitePlace(context);
    const [store, other] = [place.open({ timeoutMs: 100 }), place.open()];
    const ear = new Ear();
    await store.subscribe("t", ear);
    await other.publish("t", "a");
    const raw = await place.openRaw();
    raw.exec("ALTER TABLE parley_messages RENAME TO away");
    await place.clock.advance(200);
    assert.deepEqual(ear.heard, []);
    raw.exec("ALTER TABLE away RENAME TO parley_messages");
    await place.clock.advance(50);
    assert.deepEqual(ear.heard, ["a"]);
  });
});
