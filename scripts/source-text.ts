// A tokenizer just deep enough to tell code, comments, strings and templates of a TypeScript file apart.
// TypeScript 7 has no compiler API, so the gates read sources textually; this keeps them from being fooled by
// an import inside a string or a test title inside a comment. It is not a parser.

/** One stretch of source text. `text` of a string or template is its content without the quotes. */
export interface Token {
  readonly kind: "code" | "comment" | "string" | "template" | "regex";
  readonly text: string;
  /** Offset of the first character, quotes and comment marks included. */
  readonly start: number;
  readonly end: number;
  /** Line of the first character, from 1. */
  readonly line: number;
}

/** After one of these a slash begins a regular expression, not a division. */
const beforeRegex = /(?:^|[(,=:[!&|?{};+\-*%<>~^]|\b(?:return|typeof|case|in|of|do|else|void|delete|await|yield))$/;

/** Splits `source` into tokens; concatenating their ranges gives the whole source back. */
export function tokenize(source: string): Token[] {
  const tokens: Token[] = [];
  const lineAt = lineCounter(source);
  let codeStart = 0;
  let at = 0;
  const push = (kind: Token["kind"], start: number, end: number, inset: number): void => {
    if (start > codeStart) {
      tokens.push({
        kind: "code",
        text: source.slice(codeStart, start),
        start: codeStart,
        end: start,
        line: lineAt(codeStart),
      });
    }
    if (end > start) {
      tokens.push({ kind, text: source.slice(start + inset, end - inset), start, end, line: lineAt(start) });
    }
    codeStart = end;
    at = end;
  };
  while (at < source.length) {
    const char = source[at];
    const pair = source.slice(at, at + 2);
    if (pair === "//") {
      push("comment", at, endOf(source, "\n", at), 0);
    } else if (pair === "/*") {
      push("comment", at, endOf(source, "*/", at + 2, 2), 0);
    } else if (char === '"' || char === "'") {
      push("string", at, endOfString(source, at), 1);
    } else if (char === "`") {
      push("template", at, endOfTemplate(source, at), 1);
    } else if (char === "/" && beforeRegex.test(codeBefore(source, tokens, codeStart, at))) {
      push("regex", at, endOfRegex(source, at), 0);
    } else {
      at += 1;
    }
  }
  push("code", source.length, source.length, 0);
  return tokens;
}

function codeBefore(source: string, tokens: readonly Token[], codeStart: number, at: number): string {
  const code = source.slice(codeStart, at).trimEnd();
  if (code !== "") {
    return code;
  }
  for (let index = tokens.length - 1; index >= 0; index -= 1) {
    const token = tokens[index];
    if (token === undefined || token.kind === "comment") {
      continue;
    }
    if (token.kind !== "code") {
      return "x";
    }
    if (token.text.trim() !== "") {
      return token.text.trimEnd();
    }
  }
  return "";
}

function endOf(source: string, mark: string, from: number, extra = 0): number {
  const found = source.indexOf(mark, from);
  return found === -1 ? source.length : found + extra;
}

function endOfString(source: string, start: number): number {
  const quote = source[start];
  for (let at = start + 1; at < source.length; at += 1) {
    if (source[at] === "\\") {
      at += 1;
    } else if (source[at] === quote || source[at] === "\n") {
      return at + 1;
    }
  }
  return source.length;
}

function endOfTemplate(source: string, start: number): number {
  for (let at = start + 1; at < source.length; at += 1) {
    if (source[at] === "\\") {
      at += 1;
    } else if (source[at] === "`") {
      return at + 1;
    } else if (source.startsWith("${", at)) {
      at = endOfSubstitution(source, at + 2) - 1;
    }
  }
  return source.length;
}

function endOfSubstitution(source: string, start: number): number {
  let depth = 1;
  let at = start;
  while (at < source.length) {
    const char = source[at];
    if (char === "`") {
      at = endOfTemplate(source, at);
    } else if (char === '"' || char === "'") {
      at = endOfString(source, at);
    } else {
      at += 1;
      depth += char === "{" ? 1 : char === "}" ? -1 : 0;
      if (depth === 0) {
        return at;
      }
    }
  }
  return source.length;
}

function endOfRegex(source: string, start: number): number {
  let inClass = false;
  for (let at = start + 1; at < source.length; at += 1) {
    const char = source[at];
    if (char === "\\") {
      at += 1;
    } else if (char === "\n") {
      return start + 1;
    } else if (char === "[") {
      inClass = true;
    } else if (char === "]") {
      inClass = false;
    } else if (char === "/" && !inClass) {
      return at + 1;
    }
  }
  return start + 1;
}

function lineCounter(source: string): (offset: number) => number {
  let line = 1;
  let counted = 0;
  return (offset) => {
    for (; counted < offset; counted += 1) {
      if (source[counted] === "\n") {
        line += 1;
      }
    }
    return line;
  };
}
