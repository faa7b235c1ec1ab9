/**
 * The fields of a metadata document that anybody may have written: own ones only, with the type that they must have, and
 * bounded. The first fault counts, and spoils the document.
 */
import { isObject } from "../../../base/json.ts";
import { checkAddress, maxAddressLength } from "./address.ts";

/** Most entries of a list. */
const maxEntries = 1000;

/** A document that could be read, or what is wrong with it. */
export type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: string };

/** See the head of this file. */
export class MetadataFields {
  readonly #document: { readonly [name: string]: unknown };
  #problem: string | undefined;

  /** @param json - the document as parsed */
  constructor(json: unknown) {
    this.#document = isObject(json) ? json : {};
    this.#problem = isObject(json) ? undefined : `expected a JSON object, got ${nameKind(json)}`;
  }

  /** What is wrong with what was read so far, or nothing. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** A text; `undefined` where there is none. */
  text(name: string): string | undefined {
    return this.#read(name, `a text of 1 to ${maxAddressLength} characters`, isText);
  }

  /** An address that may be asked or opened; `undefined` where there is none. */
  address(name: string): string | undefined {
    const text = this.text(name);
    const problem = text === undefined ? undefined : checkAddress(text);
    if (problem !== undefined) {
      this.#problem ??= `${name}: ${problem}`;
    }
    return text;
  }

  /** A list of texts, each of them once; `undefined` where there is none. */
  texts(name: string): string[] | undefined {
    const texts = this.#read(name, `a list of at most ${maxEntries} texts`, isTextList);
    return texts === undefined ? undefined : [...new Set(texts)];
  }

  /** A truth value; `undefined` where there is none. */
  flag(name: string): boolean | undefined {
    return this.#read(name, "true or false", (value) => typeof value === "boolean");
  }

  /** Some servers write `null` for what they have not. */
  #read<T>(name: string, expected: string, isExpected: (value: unknown) => value is T): T | undefined {
    const value = Object.hasOwn(this.#document, name) ? (this.#document[name] ?? undefined) : undefined;
    if (value === undefined || isExpected(value)) {
      return value;
    }
    this.#problem ??= `expected ${name} to be ${expected}, got ${nameKind(value)}`;
    return undefined;
  }
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.length > 0 && value.length <= maxAddressLength;
}

function isTextList(value: unknown): value is string[] {
  return Array.isArray(value) && value.length <= maxEntries && value.every(isText);
}

function nameKind(value: unknown): string {
  if (value === null) {
    return "null";
  }
  if (Array.isArray(value)) {
    return `a list of ${value.length}`;
  }
  return typeof value === "string" ? `a text of ${value.length} characters` : `${typeof value}`;
}
