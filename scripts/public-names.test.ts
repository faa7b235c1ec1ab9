import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { diffNames, formatNames, publicNames } from "./public-names.ts";

describe("publicNames", () => {
  it("finds declarations and lists, and marks what only the compiler sees", () => {
    const text = [
      "/** export declare function no(): void; */",
      "export declare function connect(x: string): void;",
      "export declare abstract class Base {}",
      "export interface Options { a: 1 }",
      "export type Kind = 'x';",
      "export declare const limit: number;",
      'export { a, type B, c as d } from "./x.ts";',
      'export type { E, F as G } from "./y.ts";',
      "declare const hidden: 1;",
      "export {};",
    ].join("\n");
    const names = ["Base", "type B", "type E", "type G", "type Kind", "type Options", "a", "connect", "d", "limit"];
    assert.deepEqual(publicNames(text).sort(), names.sort());
  });

  it("counts a name that is both a value and a type as a value", () => {
    assert.deepEqual(publicNames("export declare const A: 1;\nexport type A = 1;"), ["A"]);
  });
});

describe("formatNames and diffNames", () => {
  it("show an added and a removed name under their entry", () => {
    const before = formatNames(
      new Map([
        ["p/x", ["a", "b"]],
        ["p/y", ["a"]],
      ]),
    );
    const after = formatNames(
      new Map([
        ["p/x", ["a"]],
        ["p/y", ["a", "type C"]],
      ]),
    );
    assert.deepEqual(diffNames(before, before), []);
    assert.deepEqual(diffNames(before, after), ["+ p/y: type C", "- p/x: b"]);
  });
});
