/**
 * Cuts a URI into the pieces that the expressions of a template cover, without searching back.
 *
 * A sweep from the right notes for each segment where it could begin so that the rest of the URI still fits; one walk
 * from the left then cuts at noted places. The work is bounded by the length of the URI times the number of segments.
 * Nothing is decoded here.
 */

import type { UriTemplateExpression } from "./uri-template.ts";
import type { Field, Literal, Segment } from "./uri-template-segments.ts";

const slashCode = 0x2f;
const percentCode = 0x25;

/** What one field covers; empty where the URI leaves it out. */
export interface UriPiece {
  readonly expressions: readonly UriTemplateExpression[];
  readonly text: string;
}

/** A URI prepared for the sweeps. */
interface Subject {
  /** A code for each character, with DEL for what is not ASCII. */
  readonly codes: Uint8Array;
  /** Where the slashes are. */
  readonly slashes: readonly number[];
  /** The places between the three characters of an escape, where nothing may be cut. */
  readonly insides: readonly number[];
}

/**
 * Cuts a URI.
 *
 * @param uri - with escapes in capitals and without characters beyond ASCII
 * @returns a piece for each field in order, or `undefined` where the URI does not have the template's form
 */
export function cutUri(segments: readonly Segment[], uri: string): readonly UriPiece[] | undefined {
  const first = segments[0];
  const last = segments.at(-1);
  if (first !== undefined && "text" in first && !uri.startsWith(first.text)) {
    return undefined;
  }
  if (last !== undefined && "text" in last && !uri.endsWith(last.text)) {
    return undefined;
  }
  const subject = toSubject(uri);
  const starts = findStarts(segments, subject);
  return starts === undefined || starts[0]?.[0] !== 1 ? undefined : walk(segments, starts, subject, uri);
}

function toSubject(uri: string): Subject {
  const codes = new Uint8Array(uri.length);
  const slashes: number[] = [];
  const insides: number[] = [];
  for (let at = 0; at < uri.length; at += 1) {
    const code = uri.charCodeAt(at);
    codes[at] = Math.min(code, 0x7f);
    if (code === slashCode) {
      slashes.push(at);
    } else if (code === percentCode && isHexDigit(uri.charCodeAt(at + 1)) && isHexDigit(uri.charCodeAt(at + 2))) {
      insides.push(at + 1, at + 2);
    }
  }
  return { codes, slashes, insides };
}

function isHexDigit(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x46) || (code >= 0x61 && code <= 0x66);
}

function walk(
  segments: readonly Segment[],
  starts: readonly Uint8Array[],
  subject: Subject,
  uri: string,
): readonly UriPiece[] {
  const pieces: UriPiece[] = [];
  let at = 0;
  for (const [index, segment] of segments.entries()) {
    const next = starts[index + 1];
    if ("text" in segment || next === undefined) {
      at += "text" in segment ? segment.text.length : 0;
      continue;
    }
    const end = chooseEnd(segment, next, subject, at);
    pieces.push({ expressions: segment.expressions, text: uri.slice(at, end) });
    at = end;
  }
  return pieces;
}

function chooseEnd({ signs, stops, slashes, lazy }: Field, next: Uint8Array, subject: Subject, at: number): number {
  const { codes } = subject;
  if (at === codes.length || signs[codes[at] ?? 0] !== 1) {
    return at;
  }
  let end = at;
  let left = slashes;
  for (let to = at; to < codes.length; to += 1) {
    const code = codes[to] ?? 0;
    left -= code === slashCode ? 1 : 0;
    if (stops[code] === 1 || left < 0) {
      break;
    }
    if (next[to + 1] === 1) {
      end = to + 1;
      if (lazy) {
        break;
      }
    }
  }
  return end;
}

/**
 * For each segment, and for the end, the places where it can begin so that everything behind it fits: 1 is yes.
 *
 * @returns `undefined` once a segment can begin nowhere
 */
function findStarts(segments: readonly Segment[], subject: Subject): readonly Uint8Array[] | undefined {
  const size = subject.codes.length + 1;
  const starts: Uint8Array[] = new Array(segments.length + 1);
  let next = new Uint8Array(size);
  next[size - 1] = 1;
  starts[segments.length] = next;
  for (const [fromEnd, segment] of segments.toReversed().entries()) {
    const begin = new Uint8Array(size);
    const any =
      "text" in segment ? sweepLiteral(segment, subject, next, begin) : sweepField(segment, subject, next, begin);
    if (!any) {
      return undefined;
    }
    for (const place of subject.insides) {
      begin[place] = 0;
    }
    starts[segments.length - 1 - fromEnd] = begin;
    next = begin;
  }
  return starts;
}

/** Finds the text by Knuth, Morris and Pratt's way, which looks at each character of the URI once. */
function sweepLiteral(
  { codes: text, borders }: Literal,
  { codes }: Subject,
  next: Uint8Array,
  begin: Uint8Array,
): boolean {
  let any = false;
  let matched = 0;
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at];
    while (matched > 0 && code !== text[matched]) {
      matched = borders[matched - 1] ?? 0;
    }
    matched += code === text[matched] ? 1 : 0;
    if (matched === text.length) {
      if (next[at + 1] === 1) {
        begin[at + 1 - text.length] = 1;
        any = true;
      }
      matched = borders[matched - 1] ?? 0;
    }
  }
  return any;
}

function sweepField(field: Field, { codes, slashes }: Subject, next: Uint8Array, begin: Uint8Array): boolean {
  const { signs, stops, optional } = field;
  let any = optional && next[codes.length] === 1;
  let slash = slashes.length;
  let limit = codes.length;
  let stop = codes.length;
  let nearest = codes.length + (next[codes.length] === 1 ? 0 : 1);
  begin[codes.length] = any ? 1 : 0;
  for (let at = codes.length - 1; at >= 0; at -= 1) {
    const code = codes[at] ?? 0;
    if (stops[code] === 1) {
      stop = at;
    }
    if (slash > 0 && slashes[slash - 1] === at) {
      slash -= 1;
      // Behind this many slashes more the field has to end.
      const excess = slash + field.slashes;
      limit = excess < slashes.length ? (slashes[excess] ?? 0) : codes.length;
    }
    const isNext = next[at] === 1;
    if ((signs[code] === 1 && nearest <= stop && nearest <= limit) || (optional && isNext)) {
      begin[at] = 1;
      any = true;
    }
    if (isNext) {
      nearest = at;
    }
  }
  return any;
}
