/**
 * What an image is by its bytes: its type, dimensions and number of frames, read from headers without decoding pixels.
 *
 * Five formats and no more; whatever is cut short or contradicts itself is refused. Whether a type or a size is
 * acceptable is decided in icons.ts. Specification: Basic > General fields > `icons` > Security considerations.
 */

import { checkSvg } from "./icon-svg.ts";

/** What the bytes say. */
export interface ImageInfo {
  /** The canonical media type. */
  readonly mimeType: "image/png" | "image/jpeg" | "image/gif" | "image/webp" | "image/svg+xml";
  /** In pixels, the largest of all frames; absent for SVG, which has none. */
  readonly width?: number;
  readonly height?: number;
  readonly frames: number;
}

/** An image, or why the bytes are none that is known. */
export type ImageResult =
  | { readonly ok: true; readonly image: ImageInfo }
  | { readonly ok: false; readonly problem: string };

type Reader = (view: DataView) => ImageInfo | undefined;

/**
 * What an image is by its bytes.
 *
 * @param bytes - the whole image
 */
export function parseImage(bytes: Uint8Array): ImageResult {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const format = formats.find(({ magic }) => magic.every((code, at) => bytes[at] === code));
  if (format === undefined) {
    return inspectText(bytes);
  }
  try {
    const image = format.read(view);
    return image === undefined
      ? { ok: false, problem: `The bytes start like ${format.name}, but have no proper header.` }
      : { ok: true, image };
  } catch (error) {
    if (error instanceof RangeError) {
      return { ok: false, problem: `The bytes start like ${format.name}, but end too early.` };
    }
    throw error;
  }
}

function inspectText(bytes: Uint8Array): ImageResult {
  const text = decodeUtf8(bytes);
  if (text === undefined || !/^\s*<(?:\?xml|!--|svg)/.test(text)) {
    return { ok: false, problem: "The bytes are no PNG, JPEG, GIF, WebP or SVG image." };
  }
  const problem = checkSvg(text);
  return problem === undefined ? { ok: true, image: { mimeType: "image/svg+xml", frames: 1 } } : { ok: false, problem };
}

function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    // Not text, hence not SVG; the caller says so.
    return undefined;
  }
}

/** PNG: IHDR first; animation frames are fcTL chunks, whatever acTL claims. */
const readPng: Reader = (view) => {
  if (ascii(view, 12) !== "IHDR") {
    return undefined;
  }
  let frames = 0;
  for (let at = 8; ; ) {
    const length = view.getUint32(at);
    const type = ascii(view, at + 4);
    frames += type === "fcTL" ? 1 : 0;
    at += 12 + length;
    if (type === "IEND") {
      break;
    }
  }
  return { mimeType: "image/png", width: view.getUint32(16), height: view.getUint32(20), frames: Math.max(1, frames) };
};

/** JPEG: segments up to the frame header, which holds the dimensions. */
const readJpeg: Reader = (view) => {
  for (let at = 2; ; ) {
    if (view.getUint8(at) !== 0xff) {
      return undefined;
    }
    const marker = view.getUint8(at + 1);
    const isFrameHeader = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrameHeader) {
      return { mimeType: "image/jpeg", width: view.getUint16(at + 7), height: view.getUint16(at + 5), frames: 1 };
    }
    if (marker === 0xda || marker === 0xd9) {
      return undefined;
    }
    // A marker may be padded by any number of 0xFF.
    at += marker === 0xff ? 1 : 2 + Math.max(2, view.getUint16(at + 2));
  }
};

/** GIF: blocks up to the trailer; each image descriptor is a frame, which may be larger than the screen it is for. */
const readGif: Reader = (view) => {
  let width = view.getUint16(6, true);
  let height = view.getUint16(8, true);
  let frames = 0;
  let at = 13 + colorTableSize(view.getUint8(10));
  for (;;) {
    const kind = view.getUint8(at);
    if (kind === 0x3b) {
      return frames === 0 ? undefined : { mimeType: "image/gif", width, height, frames };
    }
    if (kind === 0x2c) {
      frames += 1;
      width = Math.max(width, view.getUint16(at + 1, true) + view.getUint16(at + 5, true));
      height = Math.max(height, view.getUint16(at + 3, true) + view.getUint16(at + 7, true));
      at = skipSubBlocks(view, at + 11 + colorTableSize(view.getUint8(at + 9)));
    } else if (kind === 0x21) {
      at = skipSubBlocks(view, at + 2);
    } else {
      return undefined;
    }
  }
};

function colorTableSize(flags: number): number {
  return (flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1);
}

function skipSubBlocks(view: DataView, from: number): number {
  let at = from;
  for (let size = view.getUint8(at); size !== 0; size = view.getUint8(at)) {
    at += size + 1;
  }
  return at + 1;
}

/** WebP: a simple image, or an extended one whose frames are ANMF chunks. */
const readWebp: Reader = (view) => {
  if (ascii(view, 8) !== "WEBP") {
    return undefined;
  }
  let width = 0;
  let height = 0;
  let frames = 0;
  let known = false;
  for (let at = 12; at < view.byteLength; ) {
    const chunk = readWebpChunk(view, at);
    width = Math.max(width, chunk.width);
    height = Math.max(height, chunk.height);
    frames += chunk.isFrame ? 1 : 0;
    known ||= chunk.width > 0;
    const length = view.getUint32(at + 4, true);
    at += 8 + length + (length % 2);
  }
  return known ? { mimeType: "image/webp", width, height, frames: Math.max(1, frames) } : undefined;
};

function readWebpChunk(view: DataView, at: number): { width: number; height: number; isFrame: boolean } {
  const data = at + 8;
  switch (ascii(view, at)) {
    case "VP8 ":
      return {
        width: view.getUint16(data + 6, true) & 0x3fff,
        height: view.getUint16(data + 8, true) & 0x3fff,
        isFrame: false,
      };
    case "VP8L": {
      const bits = view.getUint32(data + 1, true);
      return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff), isFrame: false };
    }
    case "VP8X":
      return { width: 1 + uint24(view, data + 4), height: 1 + uint24(view, data + 7), isFrame: false };
    case "ANMF":
      return { width: 1 + uint24(view, data + 6), height: 1 + uint24(view, data + 9), isFrame: true };
    default:
      return { width: 0, height: 0, isFrame: false };
  }
}

function uint24(view: DataView, at: number): number {
  return view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
}

function ascii(view: DataView, at: number): string {
  return String.fromCharCode(view.getUint8(at), view.getUint8(at + 1), view.getUint8(at + 2), view.getUint8(at + 3));
}

const formats: readonly { readonly name: string; readonly magic: readonly number[]; readonly read: Reader }[] = [
  { name: "PNG", magic: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a], read: readPng },
  { name: "JPEG", magic: [0xff, 0xd8, 0xff], read: readJpeg },
  { name: "GIF", magic: [0x47, 0x49, 0x46, 0x38], read: readGif },
  { name: "WebP", magic: [0x52, 0x49, 0x46, 0x46], read: readWebp },
];
