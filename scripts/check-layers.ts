// Checks the import direction and placement rules of the architecture, textually, in well under a second.
// `checkLayers` is a pure function from sources to findings; run as a program it reads `src/`.
// It does not look for cycles or sizes (Biome does) and does not resolve packages (the type-check does); the style
// rules that Biome lacks are in house-rules.ts.

import { dirname, posix } from "node:path";
import { readTree } from "./files.ts";
import { type Finding, formatFinding } from "./finding.ts";
import { checkHouseRules } from "./house-rules.ts";
import { drawerNames, layers, packages, rootEntryFolders, storeContracts, storeEntries } from "./layers.ts";
import { isMain } from "./program.ts";
import { tokenize } from "./source-text.ts";

/** An import or re-export as written. */
interface Import {
  readonly specifier: string;
  readonly line: number;
  readonly reExports: boolean;
  readonly star: boolean;
}

/** Checks every source; keys are paths relative to the repository root, such as `src/base/id.ts`. */
export function checkLayers(sources: ReadonlyMap<string, string>): Finding[] {
  return [...sources].flatMap(([path, source]) => checkFile(path.replace(/^src\//, ""), source));
}

function checkFile(path: string, source: string): Finding[] {
  const findings: Finding[] = [];
  const report = (line: number, rule: string, message: string): void => {
    findings.push({ path: `src/${path}`, line, rule, message });
  };
  checkPlace(path, report);
  const isTest = /\.test\.ts$/.test(path);
  for (const entry of readImports(source)) {
    checkIndex(path, entry, isTest, report);
    if (isTest) {
      continue;
    }
    if (entry.specifier.startsWith(".")) {
      checkRelative(path, posix.join(dirname(path), entry.specifier), entry, report);
    } else {
      checkPackage(path, entry, report);
    }
  }
  if (!isTest) {
    checkDates(path, source, report);
  }
  return findings;
}

type Report = (line: number, rule: string, message: string) => void;

/** The folder directly under `src/`, or an empty string for the root entry. */
function folderOf(path: string): string {
  return path.includes("/") ? path.slice(0, path.indexOf("/")) : "";
}

function checkPlace(path: string, report: Report): void {
  const folder = folderOf(path);
  if (folder === "" ? !/^index(\.test)?\.ts$/.test(path) : layers[folder] === undefined) {
    report(
      1,
      "rule 1 (layers)",
      `${folder === "" ? "only index.ts lies directly under src/" : `folder "${folder}" has no layer`}; move the file, or give its folder a layer in scripts/layers.ts.`,
    );
  }
  const drawer = path.split("/").find((part) => drawerNames.includes(part.split(".")[0] ?? ""));
  if (drawer !== undefined) {
    report(1, "naming", `"${drawer}" is a drawer; name the file for the one concept it holds.`);
  }
}

function checkRelative(path: string, target: string, entry: Import, report: Report): void {
  if (target.startsWith("..")) {
    report(entry.line, "rule 1 (layers)", `"${entry.specifier}" leaves src/; sources import only sources.`);
    return;
  }
  if (/\.node(\.ts)?$/.test(target) && !path.endsWith(".node.ts")) {
    report(
      entry.line,
      "rule 6 (portability)",
      `portable file imports node-only "${target}"; rename this file to *.node.ts or take what it needs as an argument.`,
    );
  }
  checkDirection(path, target, entry, report);
  checkStore(path, target, entry, report);
  checkHttpHalves(path, target, entry, report);
}

function checkDirection(path: string, target: string, entry: Import, report: Report): void {
  const [from, to] = [folderOf(path), folderOf(target)];
  if (from === "") {
    if (!rootEntryFolders.includes(to)) {
      report(
        entry.line,
        "rule 1 (layers)",
        `the root entry gathers types and errors from ${rootEntryFolders.join(", ")}, not from "${target}"; export that from its own subpath.`,
      );
    }
    return;
  }
  const [own, other] = [layers[from], layers[to]];
  const isRole = from === "server" || from === "client";
  if (
    from === to ||
    own === undefined ||
    (other !== undefined && other < own && !(isRole && other === 4 && to !== "tasks"))
  ) {
    return;
  }
  const isTransport = own === 4 && (to === "server" || to === "client" || other === 4);
  const rule = isRole ? "rule 2 (roles)" : isTransport ? "rule 3 (transports)" : "rule 1 (layers)";
  report(
    entry.line,
    rule,
    `"${from}" (layer ${own}) must not import "${target}" (${other === undefined ? "no layer" : `layer ${other}`}); depend on a contract in a lower layer and let the layer above join the two.`,
  );
}

function checkStore(path: string, target: string, entry: Import, report: Report): void {
  if (folderOf(target) !== "store" || storeContracts.includes(target.slice("store/".length))) {
    return;
  }
  const isEntry = storeEntries.includes(path);
  const backend = /^store\/(sqlite|redis)\//.exec(target)?.[0];
  const inStore = folderOf(path) === "store" && (backend === undefined || path.startsWith(backend));
  if (!isEntry && !inStore) {
    report(
      entry.line,
      "rule 4 (stores)",
      `"${target}" is a backend; import ${storeContracts.join(", ")} and let the caller hand the backend in.`,
    );
  }
}

function checkHttpHalves(path: string, target: string, entry: Import, report: Report): void {
  const half = (file: string): string | undefined => /^http\/(server|client)\//.exec(file)?.[1];
  const [own, other] = [half(path), half(target)];
  if (own !== undefined && other !== undefined && own !== other) {
    report(
      entry.line,
      "rule 10 (http)",
      `http/${own} must not import "${target}"; the two halves share only files directly under http/.`,
    );
  }
}

function checkPackage(path: string, entry: Import, report: Report): void {
  const { specifier, line } = entry;
  if (specifier.startsWith("node:")) {
    if (!path.endsWith(".node.ts")) {
      report(
        line,
        "rule 6 (portability)",
        `"${specifier}" is imported by a portable file; use a web standard, or move this part to a *.node.ts file.`,
      );
    }
    return;
  }
  const name = specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
  if (name === "parley-mcp") {
    report(line, "rule 1 (layers)", `"${specifier}" is this package; import the file itself by a relative path.`);
    return;
  }
  const places = packages[name];
  if (places === undefined) {
    report(
      line,
      "rule 7 (dependencies)",
      `package "${name}" is not listed; a new dependency needs a page in docs/decisions/ and a line in scripts/layers.ts.`,
    );
  } else if (!places.some((place) => (place.endsWith("/") ? path.startsWith(place) : path === place))) {
    report(
      line,
      "rule 7 (dependencies)",
      `package "${name}" may be imported only by ${places.join(", ")}; go through that module instead.`,
    );
  }
}

function checkIndex(path: string, entry: Import, isTest: boolean, report: Report): void {
  const isIndex = /(^|\/)index(\.node)?\.ts$/.test(path);
  if (entry.star) {
    report(entry.line, "rule 9 (entries)", `star re-export of "${entry.specifier}"; name what is exported.`);
  } else if (entry.reExports && !isIndex) {
    report(
      entry.line,
      "rule 9 (entries)",
      `only index.ts files re-export; import from "${entry.specifier}" where it is needed.`,
    );
  }
  const importsIndex = entry.specifier.startsWith(".") && /(^|\/)index(\.node)?(\.ts)?$/.test(entry.specifier);
  if (importsIndex && !(isTest && /(^|\/)index(\.node)?\.test\.ts$/.test(path))) {
    report(
      entry.line,
      "rule 9 (entries)",
      `"${entry.specifier}" is an entry for users; inside src/ import the file that declares the name.`,
    );
  }
}

function checkDates(path: string, source: string, report: Report): void {
  if (folderOf(path) === "revision") {
    return;
  }
  for (const token of tokenize(source)) {
    if ((token.kind === "string" || token.kind === "template") && /^\d{4}-\d{2}-\d{2}$/.test(token.text)) {
      report(
        token.line,
        "rule 5 (revision dates)",
        `"${token.text}" is written as a literal; ask a trait of the revision, or import the constant from revision/.`,
      );
    }
  }
}

const importPattern = /(?<![.\w$])(import|export)\b([^"'`;]*?)\bfrom\s*"|(?<![.\w$])import\s*\(?\s*"/g;

/** Imports, re-exports and dynamic imports of literals, in order; comments and other strings do not count. */
function readImports(source: string): Import[] {
  const tokens = tokenize(source);
  const masked = tokens
    .map((token) => {
      const raw = source.slice(token.start, token.end);
      return token.kind === "code" ? raw : token.kind === "string" ? `"${" ".repeat(raw.length - 2)}"` : blanked(raw);
    })
    .join("");
  const byStart = new Map(tokens.map((token) => [token.start, token]));
  return [...masked.matchAll(importPattern)].flatMap((match) => {
    const token = byStart.get(match.index + match[0].length - 1);
    if (token?.kind !== "string") {
      return [];
    }
    const reExports = match[1] === "export";
    return [
      {
        specifier: token.text,
        line: token.line,
        reExports,
        star: reExports && /^\s*(type\s*)?\*/.test(match[2] ?? ""),
      },
    ];
  });
}

function blanked(text: string): string {
  return text.replace(/[^\n]/g, " ");
}

if (isMain(import.meta.url)) {
  const sources = readTree(["src"], /\.tsx?$/);
  const findings = [...checkLayers(sources), ...checkHouseRules(sources)];
  for (const finding of findings) {
    console.error(formatFinding(finding));
  }
  console.log(`layers: ${sources.size} files, ${findings.length} findings`);
  process.exitCode = findings.length === 0 ? 0 : 1;
}
