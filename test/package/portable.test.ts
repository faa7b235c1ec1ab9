// Portable entries run where there is nothing but web standards: no `process`, no `Buffer`, no modules of node, and
// no generated code. No entry at all generates code.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createContext, runInContext } from "node:vm";
import { bundle } from "../../scripts/bundle.ts";
import { readEntries } from "../../scripts/entries.ts";

const webGlobals = [
  "AbortController",
  "AbortSignal",
  "Blob",
  "CompressionStream",
  "DecompressionStream",
  "DOMException",
  "Event",
  "EventTarget",
  "FormData",
  "Headers",
  "MessageChannel",
  "ReadableStream",
  "Request",
  "Response",
  "TextDecoder",
  "TextDecoderStream",
  "TextEncoder",
  "TextEncoderStream",
  "TransformStream",
  "URL",
  "URLSearchParams",
  "WritableStream",
  "atob",
  "btoa",
  "clearInterval",
  "clearTimeout",
  "crypto",
  "fetch",
  "performance",
  "queueMicrotask",
  "setInterval",
  "setTimeout",
  "structuredClone",
] as const;

function webContext(): object {
  const globals = Object.fromEntries(webGlobals.map((name) => [name, Reflect.get(globalThis, name)]));
  return createContext(globals, { codeGeneration: { strings: false, wasm: false } });
}

describe("built entries", () => {
  for (const { name, code, nodeOnly } of readEntries()) {
    if (!nodeOnly) {
      it(`${name} loads where there are only web standards and code generation is forbidden [PP-061]`, async () => {
        const script = await bundle([code], { nodeOnly: false, script: true });
        assert.equal(runInContext(`${script.code};typeof entry.e0`, webContext(), { filename: name }), "object");
      });
    }

    it(`${name} generates no code, nor does anything it depends on [PP-061]`, async () => {
      const { code: text } = await bundle([code], { nodeOnly });
      assert.equal(/(?<![\w$.])(eval\(|new Function\b|Function\()/.exec(text), null);
    });
  }
});
