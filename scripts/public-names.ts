// Reads the exported names of an entry, textually. `exports.ts` compares them
// with the committed list; nothing here knows the file system.

import { tokenize } from "./source-text.ts";

const declaration =
  /\bexport\s+(?:declare\s+)?(?:abstract\s+)?(async\s+function|function|class|const|let|var|interface|type|enum|namespace)\s*\*?\s+([A-Za-z_$][\w$]*)/g;
const list = /\bexport\s+(type\s+)?\{([^}]*)\}/g;

/** Exported names in alphabetical order; a name that exists for the compiler only is written `type X`. */
export function publicNames(declarations: string): string[] {
  const code = tokenize(declarations)
    .map((token) => (token.kind === "code" ? token.text : " "))
    .join("");
  const names = new Map<string, boolean>();
  const add = (name: string, isType: boolean): void => {
    names.set(name, isType && names.get(name) !== false);
  };
  for (const [, kind, name] of code.matchAll(declaration)) {
    add(name ?? "", kind === "interface" || kind === "type");
  }
  for (const [, typeOnly, body] of code.matchAll(list)) {
    for (const item of (body ?? "").split(",")) {
      const [, type, name] = /^(type\s+)?(?:[\w$]+\s+as\s+)?([\w$]+)$/.exec(item.trim()) ?? [];
      if (name !== undefined) {
        add(name, typeOnly !== undefined || type !== undefined);
      }
    }
  }
  return [...names.keys()].sort().map((name) => (names.get(name) === true ? `type ${name}` : name));
}

/** The list as it is committed: a heading per entry, then its names. */
export function formatNames(entries: ReadonlyMap<string, readonly string[]>): string {
  return [...entries].map(([entry, names]) => `# ${entry}\n${names.map((name) => `${name}\n`).join("")}`).join("\n");
}

/** Lines of one list that the other lacks, marked `+` and `-` under their entry. */
export function diffNames(committed: string, built: string): string[] {
  const [before, after] = [readLines(committed), readLines(built)];
  return [
    ...after.filter((line) => !before.includes(line)).map((line) => `+ ${line}`),
    ...before.filter((line) => !after.includes(line)).map((line) => `- ${line}`),
  ];
}

function readLines(text: string): string[] {
  let entry = "";
  return text.split("\n").flatMap((line) => {
    entry = line.startsWith("# ") ? line.slice(2) : entry;
    return line === "" || line.startsWith("# ") ? [] : [`${entry}: ${line}`];
  });
}
