// An upper bound on the backtracking of a regular expression. Where the next character always decides
// which way to go there is none; each place where it does not costs a factor, and such a place inside a
// repeat without limit makes the cost exponential.

import type { CharacterSet, PatternTree } from "./pattern-syntax.ts";
import { anyCharacter, parsePattern } from "./pattern-syntax.ts";

/** The worst case for a text of n characters: about `ways` times n to the power of `degree`. */
export interface PatternCost {
  readonly degree: number;
  readonly ways: number;
  /** Whether no power of n bounds it. */
  readonly explosive: boolean;
}

const nothing: CharacterSet = /* @__PURE__ */ new Set();
const free: PatternCost = { degree: 0, ways: 1, explosive: false };
const mostWays = 1e12;

/** Measures a well-formed pattern. */
export function patternCost(source: string): PatternCost {
  const tree = parsePattern(source);
  const { degree, ways, explosive } = measure(tree, nothing);
  const scanning = /[*+]|,\}/u.test(source) ? 1 : 0;
  return { degree: degree + scanning + (isAnchored(tree) ? 0 : 1), ways: Math.min(ways, mostWays), explosive };
}

/** Cost of a part, given the characters that may come right after it. */
function measure(tree: PatternTree, follow: CharacterSet): PatternCost {
  switch (tree.kind) {
    case "sequence":
      return measureSequence(tree.parts, follow);
    case "choice":
      return measureChoice(tree.branches, follow);
    case "repeat":
      return measureRepeat(tree.body, tree.least, tree.most, follow);
    case "look":
      return measure(tree.body, anyCharacter);
    case "back-reference":
      return { ...free, degree: 1 };
    default:
      return free;
  }
}

function measureSequence(parts: readonly PatternTree[], follow: CharacterSet): PatternCost {
  let total = free;
  let after = follow;
  for (const part of parts.toReversed()) {
    total = both(total, measure(part, after));
    after = startsThen(part, after);
  }
  return total;
}

function measureChoice(branches: readonly PatternTree[], follow: CharacterSet): PatternCost {
  const costs = branches.map((branch) => measure(branch, follow));
  const starts = branches.map((branch) => startsThen(branch, follow));
  const undecided = starts.some((set, position) => starts.slice(position + 1).some((later) => overlap(set, later)));
  const ways = costs.map((cost) => cost.ways);
  return {
    degree: Math.max(...costs.map((cost) => cost.degree)),
    ways: undecided ? ways.reduce((sum, value) => sum + value, 0) : Math.max(...ways),
    explosive: costs.some((cost) => cost.explosive),
  };
}

function measureRepeat(body: PatternTree, least: number, most: number, follow: CharacterSet): PatternCost {
  const first = startsThen(body, nothing);
  const inside = measure(body, most > 1 ? new Set([...first, ...follow]) : follow);
  const undecided = least !== most && overlap(first, follow);
  const emptiable = most > 1 && least !== most && canBeEmpty(body) && body.kind !== "characters";
  if (most === Number.POSITIVE_INFINITY) {
    const explosive = inside.explosive || inside.ways > 1 || inside.degree > 0 || (emptiable && undecided);
    return { degree: undecided ? 1 : 0, ways: 1, explosive };
  }
  const exits = undecided ? most - least + 1 : 1;
  return {
    degree: inside.degree * Math.max(1, most),
    ways: Math.min(mostWays, inside.ways ** Math.max(1, most) * exits),
    explosive: inside.explosive,
  };
}

function both(a: PatternCost, b: PatternCost): PatternCost {
  return {
    degree: a.degree + b.degree,
    ways: Math.min(mostWays, a.ways * b.ways),
    explosive: a.explosive || b.explosive,
  };
}

/** The characters a part may start with; if it may match nothing, also those that may follow it. */
function startsThen(tree: PatternTree, follow: CharacterSet): CharacterSet {
  switch (tree.kind) {
    case "characters":
      return tree.set;
    case "sequence":
      return tree.parts.reduceRight((after, part) => startsThen(part, after), follow);
    case "choice":
      return union(tree.branches.map((branch) => startsThen(branch, follow)));
    case "repeat":
      return tree.least === 0 ? union([startsThen(tree.body, follow), follow]) : startsThen(tree.body, follow);
    case "back-reference":
      return anyCharacter;
    case "end":
      return nothing;
    default:
      return follow;
  }
}

function canBeEmpty(tree: PatternTree): boolean {
  switch (tree.kind) {
    case "characters":
      return false;
    case "sequence":
      return tree.parts.every(canBeEmpty);
    case "choice":
      return tree.branches.some(canBeEmpty);
    case "repeat":
      return tree.least === 0 || canBeEmpty(tree.body);
    default:
      return true;
  }
}

function isAnchored(tree: PatternTree): boolean {
  if (tree.kind === "start") return true;
  if (tree.kind === "choice") return tree.branches.every(isAnchored);
  const first = tree.kind === "sequence" ? tree.parts[0] : undefined;
  return first !== undefined && isAnchored(first);
}

function overlap(a: CharacterSet, b: CharacterSet): boolean {
  for (const code of a) if (b.has(code)) return true;
  return false;
}

function union(sets: readonly CharacterSet[]): CharacterSet {
  return new Set(sets.flatMap((set) => [...set]));
}
