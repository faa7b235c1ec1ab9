import assert from "node:assert/strict";
import { describe, it } from "node:test";

import fc from "fast-check";

import { parseImage } from "./icon-image.ts";

/** Bytes from numbers and texts; a number above 255 is written as 32 bits, big endian. */
function bytesOf(...parts: readonly (string | number | readonly number[])[]): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(
    parts.flatMap((part) => {
      if (typeof part === "string") {
        return Array.from(part, (letter) => letter.charCodeAt(0));
      }
      return typeof part === "number"
        ? [part >>> 24, part >>> 16, part >>> 8, part].map((byte) => byte & 255)
        : [...part];
    }),
  );
}

const pngChunk = (type: string, data: readonly number[]): number[] => [...bytesOf(data.length, type, data, 0)];

const png = (width: number, height: number, frames = 0): Uint8Array<ArrayBuffer> =>
  bytesOf(
    [0x89],
    "PNG\r\n\x1a\n",
    pngChunk("IHDR", [...bytesOf(width, height), 8, 6, 0, 0, 0]),
    Array.from({ length: frames }, () => pngChunk("fcTL", [])).flat(),
    pngChunk("IDAT", [1, 2, 3]),
    pngChunk("IEND", []),
  );

const gifFrame = [0x2c, 0, 0, 0, 0, 2, 0, 3, 0, 0, 2, 1, 0xff, 0];
const gif = (frames: number): Uint8Array<ArrayBuffer> =>
  bytesOf(
    "GIF89a",
    [2, 0, 3, 0, 0x80, 0, 0, ...new Array(6).fill(0), 0x21, 0xf9, 1, 0, 0],
    Array.from({ length: frames }, () => gifFrame).flat(),
    [0x3b],
  );

const jpeg = bytesOf([0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0, 0xff, 0xff, 0xc2, 0, 11, 8, 0, 7, 0, 9, 1, 0, 0, 0]);

const webp = (...chunks: readonly [type: string, data: readonly number[]][]): Uint8Array<ArrayBuffer> =>
  bytesOf("RIFF", [0, 0, 0, 0], "WEBP", ...chunks.flatMap(([type, data]) => [type, [data.length, 0, 0, 0], data]));

function imageOf(bytes: Uint8Array): unknown {
  const result = parseImage(bytes);
  return result.ok ? result.image : result.problem;
}

describe("parseImage", () => {
  it("tells the formats by their first bytes and reads dimensions and frames [ICON-011]", () => {
    assert.deepEqual(imageOf(png(5, 70_000)), { mimeType: "image/png", width: 5, height: 70_000, frames: 1 });
    assert.deepEqual(imageOf(png(5, 6, 3)), { mimeType: "image/png", width: 5, height: 6, frames: 3 });
    assert.deepEqual(imageOf(gif(4)), { mimeType: "image/gif", width: 2, height: 3, frames: 4 });
    assert.deepEqual(imageOf(jpeg), { mimeType: "image/jpeg", width: 9, height: 7, frames: 1 });
    assert.deepEqual(imageOf(webp(["VP8 ", [0, 0, 0, 0x9d, 1, 0x2a, 9, 0, 7, 0]])), {
      mimeType: "image/webp",
      width: 9,
      height: 7,
      frames: 1,
    });
    assert.deepEqual(imageOf(webp(["VP8L", [0x2f, 8, 0x80, 1, 0, 0]])), {
      mimeType: "image/webp",
      width: 9,
      height: 7,
      frames: 1,
    });
    const frame = ["ANMF", [0, 0, 0, 0, 0, 0, 8, 0, 0, 6, 0, 0, 0, 0, 0, 0]] as [string, number[]];
    assert.deepEqual(imageOf(webp(["VP8X", [0, 0, 0, 0, 8, 0, 0, 6, 0, 0]], frame, frame)), {
      mimeType: "image/webp",
      width: 9,
      height: 7,
      frames: 2,
    });
    assert.deepEqual(imageOf(bytesOf('<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg"/>')), {
      mimeType: "image/svg+xml",
      frames: 1,
    });
  });

  it("counts a frame that is larger than the screen it is for [ICON-010]", () => {
    const large = bytesOf("GIF89a", [2, 0, 3, 0, 0, 0, 0, 0x2c, 0, 0, 0, 0, 0xff, 0xff, 3, 0, 0, 2, 0, 0x3b]);
    assert.deepEqual(imageOf(large), { mimeType: "image/gif", width: 65_535, height: 3, frames: 1 });
  });

  it("refuses other content and images that are cut short [ICON-011]", () => {
    assert.match(String(imageOf(bytesOf("<!doctype html><html></html>"))), /no PNG, JPEG, GIF, WebP or SVG/);
    assert.match(String(imageOf(new Uint8Array())), /no PNG/);
    assert.match(String(imageOf(png(1, 1).subarray(0, 30))), /start like PNG, but end too early/);
    assert.match(String(imageOf(gif(1).subarray(0, -1))), /start like GIF, but end too early/);
    assert.match(String(imageOf(jpeg.subarray(0, 8))), /start like JPEG, but end too early/);
    assert.match(String(imageOf(bytesOf([0xff, 0xd8, 0xff, 0xda]))), /start like JPEG, but have no proper header/);
    assert.match(
      String(imageOf(bytesOf("RIFF", [0, 0, 0, 0], "WAVEfmt "))),
      /start like WebP, but have no proper header/,
    );
  });

  it("answers any bytes behind any magic number, without a crash or an endless walk", () => {
    const magic = fc.constantFrom(png(1, 1).subarray(0, 16), gif(1).subarray(0, 6), jpeg.subarray(0, 3), webp());
    fc.assert(
      fc.property(magic, fc.uint8Array({ maxLength: 200 }), (start, rest) => {
        assert.equal(typeof parseImage(Uint8Array.from([...start, ...rest])).ok, "boolean");
      }),
      { numRuns: 2000 },
    );
  });
});
