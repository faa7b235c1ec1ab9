/**
 * Text as it is kept: without NUL, at which some drivers end a text that they read.
 *
 * A text that begins another one still does so when both are encoded, so prefixes can be looked for.
 */

const nul = "\u0000";
const mark = "\u0001";

/** NUL becomes a mark and `0`, the mark itself a mark and `1`; any other text is kept as it is. */
export function encodeText(text: string): string {
  return text.includes(nul) || text.includes(mark)
    ? text.replaceAll(mark, `${mark}1`).replaceAll(nul, `${mark}0`)
    : text;
}

/** The text that was encoded. */
export function decodeText(column: unknown): string {
  const kept = String(column);
  return kept.includes(mark) ? kept.replaceAll(`${mark}0`, nul).replaceAll(`${mark}1`, mark) : kept;
}
