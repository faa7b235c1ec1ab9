// The pure core of the snippet gate: fences in pages that show a region of an example, and the examples inside
// docstrings. It reads no files and compiles nothing; `sync-snippets.ts` does.

import { tokenize } from "./source-text.ts";

/** A fence whose content is not the region it names, or names nothing. */
export interface Mismatch {
  readonly path: string;
  readonly line: number;
  readonly message: string;
}

/** A page after its fences were filled, and what was wrong with it before. */
export interface Synced {
  readonly text: string;
  readonly mismatches: readonly Mismatch[];
}

const opening = /^(\s*)```(\w+)\s+file=([^\s#]+)(?:#(\S+))?\s*$/;

/** Lines between `// #region name` and its `// #endregion`, less their common indent; the whole file without a name. */
export function extractRegion(source: string, name: string | undefined): string[] | undefined {
  const lines = source.replace(/\n$/, "").split("\n");
  if (name === undefined) {
    return lines;
  }
  const start = lines.findIndex((line) => line.trim() === `// #region ${name}`);
  const length = lines.slice(start + 1).findIndex((line) => /^\s*\/\/ #endregion\b/.test(line));
  if (start === -1 || length === -1) {
    return undefined;
  }
  const region = lines.slice(start + 1, start + 1 + length);
  const indents = region.filter((line) => line.trim() !== "").map((line) => line.length - line.trimStart().length);
  const indent = Math.min(...indents);
  return region.map((line) => line.slice(indent));
}

/** Fills every fence of the form ```` ```ts file=examples/x.ts#region ```` and reports those that differed. */
export function syncPage(path: string, page: string, read: (file: string) => string | undefined): Synced {
  const out: string[] = [];
  const mismatches: Mismatch[] = [];
  const lines = page.split("\n");
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    out.push(line);
    const fence = opening.exec(line);
    if (fence === null) {
      continue;
    }
    const [, indent = "", , file = "", region] = fence;
    const end = lines.findIndex((candidate, index) => index > at && candidate.trim() === "```");
    const shown = lines.slice(at + 1, end === -1 ? lines.length : end);
    const source = read(file);
    const wanted =
      source === undefined
        ? undefined
        : extractRegion(source, region)?.map((text) => (text === "" ? "" : indent + text));
    if (wanted === undefined) {
      const what = source === undefined ? `file ${file} does not exist` : `${file} has no region "${region}"`;
      mismatches.push({ path, line: at + 1, message: what });
    } else if (wanted.join("\n") !== shown.join("\n")) {
      mismatches.push({ path, line: at + 1, message: `differs from ${file}; run npm run snippets -- --write` });
    }
    out.push(...(wanted ?? shown));
    at += shown.length;
  }
  return { text: out.join("\n"), mismatches };
}

/** A code block of an `@example` in a docstring. */
export interface DocExample {
  readonly path: string;
  readonly line: number;
  readonly code: string;
}

/** The `ts` blocks of every `@example`, in order. */
export function findDocExamples(path: string, source: string): DocExample[] {
  const examples: DocExample[] = [];
  for (const token of tokenize(source)) {
    if (token.kind !== "comment" || !token.text.startsWith("/**")) {
      continue;
    }
    let inExample = false;
    let block: { line: number; lines: string[] } | undefined;
    for (const [index, raw] of token.text.split("\n").entries()) {
      const line = raw.replace(/^\s*(\/\*\*|\*\/|\*) ?/, "").replace(/\s*\*\/$/, "");
      if (block !== undefined) {
        if (line.trim() === "```") {
          examples.push({ path, line: block.line, code: block.lines.join("\n") });
          block = undefined;
        } else {
          block.lines.push(line);
        }
      } else if (/^\s*@\w+/.test(line)) {
        inExample = /^\s*@example\b/.test(line);
      } else if (inExample && /^\s*```(ts|typescript)\s*$/.test(line)) {
        block = { line: token.line + index + 1, lines: [] };
      }
    }
  }
  return examples;
}
