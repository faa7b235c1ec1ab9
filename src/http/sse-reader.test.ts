import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { MessageTooLargeError } from "../jsonrpc/too-large.ts";
import { type ServerSentEvent, SseReader } from "./sse-reader.ts";

interface Read {
  readonly events: ServerSentEvent[];
  readonly lastEventId: string | undefined;
  readonly retryMs: number | undefined;
  readonly invalid: number;
}

function readAll(chunks: Iterable<Uint8Array>, maxEventBytes = 1_000_000): Read {
  const events: ServerSentEvent[] = [];
  let invalid = 0;
  const reader = new SseReader({
    maxEventBytes,
    onEvent: (event) => events.push(event),
    onInvalidUtf8: () => {
      invalid += 1;
    },
  });
  for (const chunk of chunks) {
    reader.feed(chunk);
  }
  return { events, lastEventId: reader.lastEventId, retryMs: reader.retryMs, invalid };
}

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const read = (text: string): Read => readAll([encode(text)]);

describe("SseReader", () => {
  it("reads the same events wherever the bytes are cut, inside characters and line ends too [PP-028]", () => {
    const message = JSON.stringify({ text: "a\u00e9\u20ac\u{1f600}\ufffd", list: [1, 2] });
    for (const end of ["\n", "\r\n", "\r"]) {
      const lines = [
        `\ufeff: hello`,
        `id: \u00e9-1`,
        `retry: 20`,
        `data: ${message}`,
        "",
        "data: {}",
        "",
        "data:",
        "id: 2",
        "",
        ": end",
      ];
      const bytes = encode(`${lines.join(end)}${end}`);
      const whole = readAll([bytes]);
      assert.deepEqual(
        whole.events.map(({ data }) => data),
        [message, "{}"],
      );
      for (let at = 0; at <= bytes.length; at += 1) {
        assert.deepEqual(
          readAll([bytes.subarray(0, at), bytes.subarray(at)]),
          whole,
          `cut at ${at} with ${JSON.stringify(end)}`,
        );
      }
      assert.deepEqual(readAll(Array.from(bytes, (byte) => Uint8Array.of(byte))), whole);
    }
  });

  it("reads any messages cut anywhere [PP-028]", () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ id: fc.option(fc.stringMatching(/^[a-z0-9]{1,5}$/)), value: fc.json() }), {
          maxLength: 5,
        }),
        fc.array(fc.nat(400), { maxLength: 6 }),
        (sent, cuts) => {
          const text = sent.map(({ id, value }) => `${id === null ? "" : `id: ${id}\n`}data: ${value}\n\n`).join("");
          const bytes = encode(text);
          const places = [0, ...cuts.map((place) => Math.min(place, bytes.length)).sort((a, b) => a - b), bytes.length];
          const chunks = places.slice(1).map((place, index) => bytes.subarray(places[index], place));
          const result = readAll(chunks);
          assert.deepEqual(
            result.events.map(({ data }) => data),
            sent.map(({ value }) => value),
          );
          assert.equal(result.lastEventId, sent.findLast(({ id }) => id !== null)?.id ?? undefined);
        },
      ),
    );
  });

  it("takes an event without data as a place to resume from, never as a message [HTTP-015] [PP-110]", () => {
    const { events, lastEventId, retryMs } = read("id: a-1\nretry: 1500\ndata: \n\n");
    assert.deepEqual(events, []);
    assert.equal(lastEventId, "a-1");
    assert.equal(retryMs, 1_500);
  });

  it("keeps the last id until another comes, and an empty one takes it back", () => {
    assert.equal(read("id: 1\ndata: a\n\ndata: b\n\n").lastEventId, "1");
    assert.equal(read("id: 1\ndata: a\n\nid:\ndata: b\n\n").lastEventId, undefined);
  });

  it("does not count the id of an event that was cut off [HTTP-015]", () => {
    const { events, lastEventId } = read("id: 1\ndata: a\n\nid: 2\ndata: b\n");
    assert.equal(events.length, 1);
    assert.equal(lastEventId, "1");
  });

  it("never reports comments as events [HTTP-015] [PP-008]", () => {
    assert.deepEqual(read(": keep-alive\n\n:\n\n: data: x\n\n").events, []);
  });

  it("names the type of an event, so that other types are not taken for messages [HTTP-015]", () => {
    assert.deepEqual(
      read("event: ping\ndata: {}\n\ndata: {}\n\n").events.map(({ type }) => type),
      ["ping", "message"],
    );
  });

  it("tells once of bytes that are no UTF-8 and goes on behind them [PP-028]", () => {
    const { events, invalid } = readAll([encode("data: a"), Uint8Array.of(0xff, 0xfe), encode("b\n\ndata: c\n\n")]);
    assert.equal(invalid, 1);
    assert.deepEqual(
      events.map(({ data }) => data),
      ["a\ufffd\ufffdb", "c"],
    );
  });

  it("refuses an event over the limit, in one chunk or in many, measured in bytes", () => {
    const exact = `"${"\u20ac".repeat(10)}"`;
    assert.equal(readAll([encode(`data: ${exact}\n\n`)], 32).events.length, 1);
    assert.throws(() => readAll([encode(`data: ${exact}\n\n`)], 31), MessageTooLargeError);
    const endless = function* (): Generator<Uint8Array> {
      yield encode("data: ");
      for (let index = 0; index < 1_000; index += 1) {
        yield encode("x".repeat(100));
      }
    };
    assert.throws(() => readAll(endless(), 5_000), MessageTooLargeError);
  });

  it("gives nothing more once an event was over the limit", () => {
    const events: ServerSentEvent[] = [];
    const reader = new SseReader({ maxEventBytes: 3, onEvent: (event) => events.push(event) });
    assert.throws(() => reader.feed(encode("data: long\n\ndata: a\n\n")), MessageTooLargeError);
    assert.throws(() => reader.feed(encode("data: b\n\n")), MessageTooLargeError);
    assert.deepEqual(events, []);
  });

  it("neither throws nor hangs on arbitrary bytes", () => {
    const piece = fc.oneof(
      fc.uint8Array({ maxLength: 30 }),
      fc.constantFrom("data: ", "id: ", "retry: ", "\n", "\r", ":", "\0").map(encode),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (chunks) => {
        for (const { data } of readAll(chunks).events) {
          assert.notEqual(data, "");
        }
      }),
    );
  });
});

describe("SseReader with onOversize", () => {
  const read = (chunkSize: number, text: string): string[] => {
    const seen: string[] = [];
    const reader = new SseReader({
      maxEventBytes: 2_000,
      onEvent: ({ data }) => seen.push(data),
      onOversize: (error, head, tail) => seen.push(`${error.limitBytes} ${head.slice(-40).length} ${tail.slice(-6)}`),
    });
    const bytes = new TextEncoder().encode(text);
    for (let at = 0; at < bytes.length; at += chunkSize) {
      reader.feed(bytes.subarray(at, at + chunkSize));
    }
    return seen;
  };

  it("skips the event and nothing else, wherever the chunks are cut [PP-026]", () => {
    const text = `data: one\n\ndata: ${"x".repeat(9_000)}"id":7\n\ndata: two\n\n: comment\n\ndata: three\n\n`;
    for (const chunkSize of [1, 7, 100, 1_000, 5_000, 20_000]) {
      assert.deepEqual(read(chunkSize, text), ["one", '2000 40 "id":7', "two", "three"], `chunks of ${chunkSize}`);
    }
  });
});
