// The known name a misspelt one most likely meant, by edit distance. Bounded, so that a hostile name
// costs no more than an honest one. Not a search: names that are merely related are not offered.

const maxLength = 64;

/**
 * The candidate closest to `name`, or `undefined` when none is close enough: no edit but case for names
 * up to two characters, one up to five, two up to eight, three beyond. Names above 64 characters are never matched.
 *
 * @example
 * ```ts
 * import { nearest } from "parley-mcp/schema";
 *
 * nearest("coulor", ["color", "size"]); // "color"
 * ```
 */
export function nearest(name: string, candidates: Iterable<string>): string | undefined {
  if (name.length > maxLength) return undefined;
  const allowed = name.length <= 2 ? 0 : name.length <= 5 ? 1 : name.length <= 8 ? 2 : 3;
  let best: string | undefined;
  let bestDistance = allowed + 1;
  for (const candidate of candidates) {
    if (candidate.length > maxLength || Math.abs(candidate.length - name.length) >= bestDistance) continue;
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase(), bestDistance);
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** Edits between two strings (insert, delete, replace, swap neighbours), or `limit` when at least that. */
function editDistance(a: string, b: string, limit: number): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const same = a[row - 1] === b[column - 1];
      let cost = Math.min(
        (previous[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (previous[column - 1] ?? 0) + (same ? 0 : 1),
      );
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (swapped) cost = Math.min(cost, (beforePrevious[column - 2] ?? 0) + 1);
      current.push(cost);
    }
    if (Math.min(...current) >= limit) return limit;
    [beforePrevious, previous] = [previous, current];
  }
  return previous[b.length] ?? limit;
}
