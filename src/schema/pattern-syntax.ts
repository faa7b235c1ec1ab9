// Reads an ECMAScript regular expression that is known to be well formed into a small tree, just far
// enough to measure it. Character sets keep ASCII exactly and count everything else as one character.

/** Code points 0 to 127, and 128 for all others. */
export type CharacterSet = ReadonlySet<number>;

/** A part of a pattern. */
export type PatternTree =
  | { readonly kind: "characters"; readonly set: CharacterSet }
  | { readonly kind: "sequence"; readonly parts: readonly PatternTree[] }
  | { readonly kind: "choice"; readonly branches: readonly PatternTree[] }
  | { readonly kind: "repeat"; readonly body: PatternTree; readonly least: number; readonly most: number }
  | { readonly kind: "start" | "end" | "boundary" }
  | { readonly kind: "look"; readonly body: PatternTree }
  | { readonly kind: "back-reference" };

const other = 128;

/** Every character. */
export const anyCharacter: CharacterSet = /* @__PURE__ */ new Set(
  /* @__PURE__ */ Array.from({ length: other + 1 }, (_, code) => code),
);

/** Reads a pattern. */
export function parsePattern(source: string): PatternTree {
  return new PatternReader(source).choice();
}

function complement(set: CharacterSet): CharacterSet {
  return new Set([...anyCharacter].filter((code) => code === other || !set.has(code)));
}

function matching(test: RegExp): CharacterSet {
  return new Set([...anyCharacter].filter((code) => code !== other && test.test(String.fromCharCode(code))));
}

function escapedSet(letter: string): CharacterSet | undefined {
  switch (letter) {
    case "d":
    case "w":
      return matching(letter === "d" ? /\d/u : /\w/u);
    case "s":
      return new Set([...matching(/\s/u), other]);
    case "D":
    case "W":
    case "S":
      return complement(matching(letter === "D" ? /\d/u : letter === "W" ? /\w/u : /\s/u));
    case "p":
    case "P":
      return anyCharacter;
    default:
      return undefined;
  }
}

class PatternReader {
  readonly #source: string;
  #position = 0;

  constructor(source: string) {
    this.#source = source;
  }

  choice(): PatternTree {
    const branches = [this.#sequence()];
    while (this.#take("|")) branches.push(this.#sequence());
    const [only] = branches;
    return branches.length === 1 && only !== undefined ? only : { kind: "choice", branches };
  }

  #sequence(): PatternTree {
    const parts: PatternTree[] = [];
    while (this.#position < this.#source.length && !this.#at("|") && !this.#at(")")) parts.push(this.#quantified());
    return { kind: "sequence", parts };
  }

  #quantified(): PatternTree {
    const body = this.#atom();
    const match = /^(?:[*+?]|\{\d+(?:,\d*)?\})\??/u.exec(this.#source.slice(this.#position));
    if (match === null) return body;
    this.#position += match[0].length;
    const [least, most] = quantity(match[0]);
    return { kind: "repeat", body, least, most };
  }

  #atom(): PatternTree {
    if (this.#take("(")) return this.#group();
    if (this.#take("[")) return { kind: "characters", set: this.#class() };
    if (this.#take("^")) return { kind: "start" };
    if (this.#take("$")) return { kind: "end" };
    if (this.#take(".")) return { kind: "characters", set: anyCharacter };
    if (this.#take("\\")) return this.#escape();
    return { kind: "characters", set: new Set([this.#code()]) };
  }

  #group(): PatternTree {
    const look = /^\?<?[=!]/u.exec(this.#source.slice(this.#position));
    const opening = look ?? /^\?(?::|<[^>]*>|[a-z-]*:)/u.exec(this.#source.slice(this.#position));
    this.#position += opening?.[0].length ?? 0;
    const body = this.choice();
    this.#take(")");
    return look === null ? body : { kind: "look", body };
  }

  #escape(): PatternTree {
    const letter = this.#source[this.#position] ?? "";
    if (letter === "b" || letter === "B") {
      this.#position += 1;
      return { kind: "boundary" };
    }
    if (/[1-9]/u.test(letter) || this.#source.startsWith("k<", this.#position)) {
      this.#position += /^(?:\d+|k<[^>]*>)/u.exec(this.#source.slice(this.#position))?.[0].length ?? 1;
      return { kind: "back-reference" };
    }
    return { kind: "characters", set: this.#escapedCharacters() };
  }

  /** What follows a backslash, as a set. */
  #escapedCharacters(): CharacterSet {
    const letter = this.#source[this.#position] ?? "";
    const set = escapedSet(letter);
    if (set !== undefined) {
      this.#position += /^[pP]\{[^}]*\}/u.exec(this.#source.slice(this.#position))?.[0].length ?? 1;
      return set;
    }
    const numeric = /^(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|u\{([\da-fA-F]+)\})/u.exec(
      this.#source.slice(this.#position),
    );
    if (numeric !== null) {
      this.#position += numeric[0].length;
      return new Set([Math.min(other, Number.parseInt(numeric[1] ?? numeric[2] ?? numeric[3] ?? "0", 16))]);
    }
    if (letter === "c") {
      this.#position += 2;
      return anyCharacter;
    }
    const control = "tnvfr0".indexOf(letter);
    if (letter !== "" && control >= 0) {
      this.#position += 1;
      return new Set([[9, 10, 11, 12, 13, 0][control] ?? 0]);
    }
    return new Set([this.#code()]);
  }

  #class(): CharacterSet {
    const negated = this.#take("^");
    const set = new Set<number>();
    while (this.#position < this.#source.length && !this.#at("]")) {
      const low = this.#classMember();
      const isRange = this.#at("-") && this.#source[this.#position + 1] !== "]" && low.size === 1;
      if (isRange) {
        this.#position += 1;
        const from = Math.min(...low);
        const to = Math.max(...this.#classMember());
        for (let code = from; code <= to; code += 1) set.add(code);
      } else for (const code of low) set.add(code);
    }
    this.#take("]");
    return negated ? complement(set) : set;
  }

  #classMember(): CharacterSet {
    return this.#take("\\") ? this.#escapedCharacters() : new Set([this.#code()]);
  }

  #code(): number {
    const code = this.#source.codePointAt(this.#position) ?? 0;
    this.#position += code > 0xffff ? 2 : 1;
    return Math.min(code, other);
  }

  #at(text: string): boolean {
    return this.#source.startsWith(text, this.#position);
  }

  #take(text: string): boolean {
    if (!this.#at(text)) return false;
    this.#position += text.length;
    return true;
  }
}

function quantity(text: string): [number, number] {
  const symbol = text[0];
  if (symbol === "*") return [0, Number.POSITIVE_INFINITY];
  if (symbol === "+") return [1, Number.POSITIVE_INFINITY];
  if (symbol === "?") return [0, 1];
  const [least = "0", most] = text.replace(/[{}?]/gu, "").split(",");
  return [Number(least), most === undefined ? Number(least) : most === "" ? Number.POSITIVE_INFINITY : Number(most)];
}
