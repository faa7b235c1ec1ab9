// Style rules that the linter cannot express, checked textually: how a file opens, how many public members a class
// has, double casts, calls at module scope, and words that promise later work. Pure; `check-layers.ts` runs it over the sources.

import type { Finding } from "./finding.ts";
import { type Token, tokenize } from "./source-text.ts";

const maxHeaderLines = 8;
const maxPublicMembers = 20;

/** Checks every source; tests need no header and may have any class. */
export function checkHouseRules(sources: ReadonlyMap<string, string>): Finding[] {
  return [...sources].flatMap(([path, source]) => {
    const tokens = tokenize(source);
    const findings = checkPromises(path, tokens);
    if (path.endsWith(".test.ts")) {
      return findings;
    }
    return [
      ...findings,
      ...checkHeader(path, source),
      ...checkClasses(path, source),
      ...checkModuleScope(path, source, tokens),
      ...checkCasts(path, tokens),
    ];
  });
}

/** A file opens with a comment that says what it is and what it is not. */
function checkHeader(path: string, source: string): Finding[] {
  const lines = source.split("\n");
  const first = lines[0]?.startsWith("#!") ? lines.slice(1) : lines;
  const end = first.findIndex((line) => !/^\s*(\/\/|\/\*|\*)/.test(line));
  const length = end === -1 ? first.length : end;
  if (length >= 1 && length <= maxHeaderLines) {
    return [];
  }
  const message =
    length === 0
      ? "the file opens without a comment; say in at most eight lines what it is and what it deliberately is not."
      : `the opening comment has ${length} lines, the limit is ${maxHeaderLines}; leave a blank line before a docstring.`;
  return [{ path, line: 1, rule: "rule 15 of style (header)", message }];
}

function checkPromises(path: string, tokens: readonly Token[]): Finding[] {
  return tokens
    .filter(({ kind, text }) => kind === "comment" && /\b(TODO|FIXME|XXX|HACK)\b/.test(text))
    .map(({ line }) => ({
      path,
      line,
      rule: "rule 15 of style (comments)",
      message: "a comment promises later work; do it now or leave it out.",
    }));
}

const memberPattern =
  /^ {2}(?:(?:public|readonly|static|async|override|abstract|declare|get|set|accessor)\s+|\*\s*)*(\[[^\]]+\]|[A-Za-z_$][\w$]*)\s*[(<:=?!;]/;

/** Counts what a class shows to others; overloads and accessor pairs count once, `#private` and constructors never. */
function checkClasses(path: string, source: string): Finding[] {
  const findings: Finding[] = [];
  let current: { name: string; line: number; members: Set<string> } | undefined;
  for (const [index, line] of source.split("\n").entries()) {
    const name = /^(?:export )?(?:abstract )?class ([\w$]+)/.exec(line)?.[1];
    if (name !== undefined) {
      current = { name, line: index + 1, members: new Set() };
    } else if (current !== undefined && line === "}") {
      if (current.members.size > maxPublicMembers) {
        const message = `class ${current.name} has ${current.members.size} public members, the limit is ${maxPublicMembers}; give part of its work to another class.`;
        findings.push({ path, line: current.line, rule: "rule 1 of style (classes)", message });
      }
      current = undefined;
    } else if (current !== undefined && !/^ {2}(?:private|protected)\s/.test(line)) {
      const member = memberPattern.exec(line)?.[1];
      if (member !== undefined && member !== "constructor") {
        current.members.add(member);
      }
    }
  }
  return findings;
}

/** Folders where the shape of foreign data is established, and with it the only reason to cast twice. */
const castingFolders = /^src\/(?:protocol|schema)\//;

/** A double cast tells the compiler to look away: only where foreign data gets its type, and there with a reason. */
function checkCasts(path: string, tokens: readonly Token[]): Finding[] {
  const commented = new Set(
    tokens.filter(({ kind }) => kind === "comment").map(({ line, text }) => line + text.split("\n").length - 1),
  );
  return tokens.flatMap((token) =>
    [...(token.kind === "code" ? token.text.matchAll(/\bas\s+(?:unknown|never)\s+as\b/g) : [])].flatMap((match) => {
      const line = token.line + token.text.slice(0, match.index).split("\n").length - 1;
      if (castingFolders.test(path) && (commented.has(line) || commented.has(line - 1))) {
        return [];
      }
      const message = castingFolders.test(path)
        ? "a double cast carries its reason in a comment on the line or above it."
        : "double casts are allowed only under protocol/ and schema/; give the value its type where it is checked.";
      return [{ path, line, rule: "style (casts)", message }];
    }),
  );
}

/** A call that begins a statement or initialises a constant in the first column, so at module scope. */
const scopeCall =
  /^(?:(?:export )?(?:const|let) [\w$]+(?:: [^=]+)? = )?(?!(?:async|function|if|for|while|switch|return|import|export)\b)(?:await |new )?([\w$.]+)(?:<[^()]*>)?\(/;
/** Every bundler knows that these make a value and do nothing else. */
const knownPure = /= (?:new (?:Weak)?(?:Map|Set)\b|Symbol(?:\.for)?\()/;

/** Loading a module does nothing: a call at module scope is marked pure, so that bundlers can leave its value out. */
function checkModuleScope(path: string, source: string, tokens: readonly Token[]): Finding[] {
  if (path.endsWith("main.node.ts")) {
    return [];
  }
  const inComment = new Set(
    tokens
      .filter(({ kind, text }) => kind !== "code" && text.includes("\n"))
      .flatMap(({ line, text }) => text.split("\n").map((_, offset) => line + offset)),
  );
  return source.split("\n").flatMap((text, index) => {
    const call = inComment.has(index + 1) || knownPure.test(text) ? undefined : scopeCall.exec(text)?.[1];
    if (call === undefined) {
      return [];
    }
    const message = `${call}() is called at module scope; write /* @__PURE__ */ before it if it only makes a value, else call it on first use.`;
    return [{ path, line: index + 1, rule: "style (module scope)", message }];
  });
}
