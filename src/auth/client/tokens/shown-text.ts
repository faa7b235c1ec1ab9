/**
 * Text of a server in a form to be shown: on one line, short, and without what moves a cursor or turns the direction of
 * writing. Secrets are taken out elsewhere, since only the sender knows them.
 */

/** Longest text of a server in a message, in characters. */
const maxShown = 300;

/** A text as a message or the record may show it. */
export function toShown(text: string): string {
  const line = text
    .slice(0, 100 * maxShown)
    .replace(/[\s\p{C}\p{Zl}\p{Zp}]+/gu, " ")
    .trim();
  return line.length > maxShown ? `${line.slice(0, maxShown)}…` : line;
}
