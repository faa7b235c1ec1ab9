import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { ChannelProblem } from "../jsonrpc/link.ts";
import type { JsonRpcMessage } from "../jsonrpc/message.ts";
import { MessageTooLargeError } from "../jsonrpc/too-large.ts";
import { defaultMaxMessageBytes, encodeLine, MessageReader } from "./ndjson.ts";

const encoder = new TextEncoder();

interface Received {
  readonly messages: unknown[];
  readonly problems: ChannelProblem[];
}

function read(chunks: readonly Uint8Array[], maxMessageBytes = defaultMaxMessageBytes): Received {
  const messages: unknown[] = [];
  const problems: ChannelProblem[] = [];
  const reader = new MessageReader(
    { message: (value) => messages.push(value), malformed: (problem) => problems.push(problem) },
    maxMessageBytes,
  );
  for (const chunk of chunks) {
    reader.push(chunk);
  }
  reader.end();
  return { messages, problems };
}

function toBytes(...parts: readonly (string | readonly number[])[]): Uint8Array {
  return new Uint8Array(parts.flatMap((part) => [...(typeof part === "string" ? encoder.encode(part) : part)]));
}

const ping = { jsonrpc: "2.0", id: 1, method: "ping" } as const;

describe("MessageReader", () => {
  it("decodes a message cut at any one byte, also inside characters and CRLF [STDIO-002] [STDIO-004] [PP-028]", () => {
    const message = {
      jsonrpc: "2.0",
      id: "ä",
      method: "𝄞 日本 é",
      params: { text: "line\nbreak \u2028 \ud83d\ude00" },
    };
    for (const lineBreak of ["\n", "\r\n"]) {
      const bytes = encoder.encode(JSON.stringify(message) + lineBreak + JSON.stringify(ping) + lineBreak);
      for (let cut = 0; cut <= bytes.length; cut += 1) {
        const received = read([bytes.subarray(0, cut), bytes.subarray(cut)]);
        assert.deepEqual(received, { messages: [message, ping], problems: [] });
      }
      const single = [...bytes].map((byte) => new Uint8Array([byte]));
      assert.deepEqual(read(single), { messages: [message, ping], problems: [] });
    }
  });

  it("decodes any JSON cut at any places [STDIO-002] [STDIO-004] [PP-028]", () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue({ stringUnit: "binary" })), fc.array(fc.nat(500)), (values, cuts) => {
        const bytes = encoder.encode(values.map((value) => `${JSON.stringify(value)}\n`).join(""));
        const places = [0, ...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length];
        const received = read(places.slice(1).map((end, index) => bytes.subarray(places[index], end)));
        assert.deepEqual(received, {
          messages: values.map((value) => JSON.parse(JSON.stringify(value))),
          problems: [],
        });
      }),
    );
  });

  it("reports a line that is no UTF-8 once, and reads the next [PP-028]", () => {
    const broken = [
      [0xff],
      [0xc3],
      [0xe2, 0x82],
      [0xed, 0xa0, 0x80],
      [0xf0, 0x9f, 0x98],
      [0xc0, 0x80],
      [0xff, 0xfe, 0xfd],
    ];
    for (const bytes of broken) {
      const { messages, problems } = read([toBytes('{"text":"', bytes, bytes, '"}\n', `${JSON.stringify(ping)}\n`)]);
      assert.deepEqual(messages, [ping]);
      assert.deepEqual(problems, [
        { error: { code: -32700, message: "expected a line of UTF-8, got bytes that are none" } },
      ]);
    }
  });

  it("tells whose a broken line was where it can be seen [PP-028]", () => {
    const { problems } = read([toBytes('{"jsonrpc":"2.0","id":4,"result":{"text":"', [0xff], '"}}\n')]);
    assert.equal(problems[0]?.id, 4);
    assert.equal(problems[0]?.isResponse, true);
  });

  it("reports a line that is no JSON as a parse error and leaves out blank ones", () => {
    const { messages, problems } = read([encoder.encode(`{"a":\n \t\r\n\n${JSON.stringify(ping)}\n`)]);
    assert.deepEqual(messages, [ping]);
    assert.deepEqual(
      problems.map(({ error }) => error.code),
      [-32700],
    );
  });

  it("skips a line over the limit and names id, size and limit [PP-026]", () => {
    const long = JSON.stringify({ jsonrpc: "2.0", id: 9, result: { text: "x".repeat(5_000) } });
    const { messages, problems } = read([encoder.encode(`${long}\n${JSON.stringify(ping)}\n`)], 1_000);
    assert.deepEqual(messages, [ping]);
    assert.deepEqual(problems, [
      {
        error: {
          code: -32600,
          message: `message too large: expected at most 1000 bytes, got ${long.length}`,
          data: { sizeBytes: long.length, limitBytes: 1_000 },
        },
        id: 9,
        isResponse: true,
      },
    ]);
  });

  it("loses no message behind garbage of any kind, and never throws [PP-028]", () => {
    const garbage = fc
      .uint8Array({ maxLength: 300 })
      .map((bytes) => bytes.map((byte) => (byte === 0x0a ? 0x0b : byte)));
    fc.assert(
      fc.property(fc.array(garbage, { maxLength: 5 }), fc.nat(64), (lines, chunkSize) => {
        const bytes = toBytes(...lines.flatMap((line) => [[...line], "\n", JSON.stringify(ping), "\n"]));
        const chunks: Uint8Array[] = [];
        for (let at = 0; at < bytes.length; at += chunkSize + 1) {
          chunks.push(bytes.subarray(at, at + chunkSize + 1));
        }
        const { messages, problems } = read(chunks, 200);
        assert.equal(
          messages.filter((message) => JSON.stringify(message) === JSON.stringify(ping)).length,
          lines.length,
        );
        assert.ok(problems.length <= lines.length);
      }),
    );
  });
});

describe("encodeLine", () => {
  it("writes one line per message, whatever is in it [STDIO-003]", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const message: JsonRpcMessage = { jsonrpc: "2.0", method: "m", params: { text: `\r\n${text}\n` } };
        const line = encodeLine(message, defaultMaxMessageBytes);
        assert.equal(line.indexOf("\n"), line.length - 1);
        assert.deepEqual(read([encoder.encode(line)]).messages, [message]);
      }),
    );
  });

  it("refuses a message over the limit and measures it in bytes [PP-026]", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", minLength: 1 }), (text) => {
        const message: JsonRpcMessage = { jsonrpc: "2.0", method: "m", params: { text } };
        const size = encoder.encode(JSON.stringify(message)).length;
        assert.equal(encodeLine(message, size), `${JSON.stringify(message)}\n`);
        assert.throws(
          () => encodeLine(message, size - 1),
          (error: unknown) =>
            error instanceof MessageTooLargeError && error.sizeBytes === size && error.limitBytes === size - 1,
        );
      }),
    );
  });
});
