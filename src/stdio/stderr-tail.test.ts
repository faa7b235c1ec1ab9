import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { StderrTail } from "./stderr-tail.ts";

const encoder = new TextEncoder();

describe("StderrTail", () => {
  it("keeps the last lines and tells of each [STDIO-008]", () => {
    const heard: string[] = [];
    const tail = new StderrTail((line) => heard.push(line));
    for (let index = 0; index < 200; index += 1) {
      tail.push(encoder.encode(`line ${index}\r\n`));
    }
    tail.push(encoder.encode("ß"));
    tail.end();
    assert.equal(heard.length, 201);
    assert.equal(tail.lines.length, 50);
    assert.deepEqual(tail.lines.slice(-2), ["line 199", "ß"]);
  });

  it("cuts lines that are too long and takes bytes that are no UTF-8", () => {
    const tail = new StderrTail();
    tail.push(encoder.encode(`${"x".repeat(100_000)}\n`));
    tail.push(new Uint8Array([0xff, 0x0a]));
    assert.match(tail.lines[0] ?? "", /^x{4096}\.\.\. \(100000 bytes\)$/);
    assert.equal(tail.lines[1], "\ufffd");
  });
});
