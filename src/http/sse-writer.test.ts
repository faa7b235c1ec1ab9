import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createParser, type EventSourceMessage } from "eventsource-parser";
import fc from "fast-check";
import { encodeEvent, encodeRetry, keepAliveComment } from "./sse-writer.ts";

function parse(text: string): { events: EventSourceMessage[]; retries: number[]; comments: string[] } {
  const seen = { events: [] as EventSourceMessage[], retries: [] as number[], comments: [] as string[] };
  const parser = createParser({
    onEvent: (event) => seen.events.push(event),
    onRetry: (retry) => seen.retries.push(retry),
    onComment: (comment) => seen.comments.push(comment),
  });
  parser.feed(text);
  return seen;
}

describe("encodeEvent", () => {
  it("is read back as it was, whatever the data", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (data) => {
        const [event] = parse(encodeEvent({ id: "7", data })).events;
        assert.deepEqual([event?.id, event?.data], ["7", data.replaceAll(/\r\n|\r/g, "\n")]);
      }),
    );
  });

  it("writes an event with empty data so that its id counts [HTTP-014]", () => {
    assert.equal(encodeEvent({ id: "a.1.0", data: "" }), "id: a.1.0\ndata:\n\n");
  });

  it("names the type of an event", () => {
    assert.equal(parse(encodeEvent({ event: "endpoint", data: "/x" })).events[0]?.event, "endpoint");
  });
});

describe("encodeRetry", () => {
  it("is a field and no event [HTTP-018]", () => {
    const { events, retries } = parse(encodeRetry(1500.7));
    assert.deepEqual([events.length, retries], [0, [1500]]);
  });
});

describe("keepAliveComment", () => {
  it("is no event to any client [PP-008]", () => {
    const { events, comments } = parse(keepAliveComment);
    assert.deepEqual([events.length, comments.length], [0, 1]);
  });
});
