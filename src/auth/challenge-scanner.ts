/**
 * Reads the pieces of an authentication header from left to right: spaces, tokens, quoted texts.
 *
 * What the pieces mean is decided in challenge.ts. Each read goes forwards only, so a header is read in linear time.
 * Specification: RFC 9110 sections 5.6 and 11.2.
 */

/** A place in a header's text. */
export class ChallengeScanner {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Whether nothing is left. */
  get isAtEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  /** Whether an element of the list ends here. */
  get isAtBoundary(): boolean {
    return this.isAtEnd || this.#text[this.#at] === ",";
  }

  /** Passes spaces and tabs, and any other control character that stands between pieces; says whether there were any. */
  skipSpace(): boolean {
    return this.#match(/[\s\p{Cc}]*/uy) !== "";
  }

  /** Passes spaces, commas and the empty elements between them; says whether there was a comma. */
  skipSeparators(): boolean {
    return this.#match(/[\s\p{Cc},]*/uy).includes(",");
  }

  /** A token; empty where there is none. */
  readToken(): string {
    return this.#match(/[!#$%&'*+\-.^_`|~0-9A-Za-z]*/y);
  }

  /** The equals sign of a parameter, with spaces around it. Without one, the place stays as it is. */
  readEquals(): boolean {
    const start = this.#at;
    this.skipSpace();
    if (this.#text[this.#at] !== "=") {
      this.#at = start;
      return false;
    }
    this.#at += 1;
    this.skipSpace();
    return true;
  }

  /** Credentials in one piece, up to the end of the element. Without any, the place stays as it is. */
  readToken68(): string | undefined {
    const start = this.#at;
    const piece = this.#match(/[A-Za-z0-9\-._~+/]*/y) + this.#match(/[=]*/y);
    this.skipSpace();
    if (piece !== "" && this.isAtBoundary) {
      return piece;
    }
    this.#at = start;
    return undefined;
  }

  /**
   * A value: a quoted text without its quotes and escapes, or whatever stands there up to the next space, comma or quote,
   * which takes in URLs that should have been quoted.
   *
   * @returns `undefined` where the closing quote is missing, so that nothing is known about its end
   */
  readValue(): string | undefined {
    if (this.#text[this.#at] !== '"') {
      return this.#match(/[^\s,"]*/y);
    }
    const inner = this.#match(/"(?:[^"\\]|\\.)*/suy).slice(1);
    if (this.#text[this.#at] !== '"') {
      this.#at = this.#text.length;
      return undefined;
    }
    this.#at += 1;
    return inner.replace(/\\(.)/gsu, "$1");
  }

  /** Passes whatever is left of an element, quoted commas included. */
  skipElement(): void {
    this.#match(/(?:[^",]|"(?:[^"\\]|\\.)*(?:"|\\?$))*/suy);
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const piece = pattern.exec(this.#text)?.[0] ?? "";
    this.#at += piece.length;
    return piece;
  }
}
