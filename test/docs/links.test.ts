// Every relative link of the pages leads to a file, and every anchor to a heading.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { posix } from "node:path";
import { describe, it } from "node:test";
import { listTree, readText, root } from "../../scripts/files.ts";

/** The page that is written by a program and links only to its own headings. */
const generated = "docs/conformance.md";

/** A page without its code. */
function proseOf(path: string): string {
  return readText(path).replaceAll(/^```.*?^```$/gms, "");
}

function anchorsOf(path: string): string[] {
  const headings = [...proseOf(path).matchAll(/^#+ (.+)$/gm)].map(([, text = ""]) => text.toLowerCase());
  return headings.map((text) => text.replaceAll(/[^\p{L}\p{N} _-]/gu, "").replaceAll(" ", "-"));
}

/** What is wrong with the links of a page. */
function brokenLinks(path: string): string[] {
  const links = [...proseOf(path).matchAll(/\]\((?!\w+:)([^)\s]+)\)/g)].map(([, target = ""]) => target);
  return links.filter((target) => {
    const [file = "", anchor] = target.split("#");
    const found = file === "" ? path : posix.join(posix.dirname(path), file);
    return !existsSync(`${root}/${found}`) || (anchor !== undefined && !anchorsOf(found).includes(anchor));
  });
}

describe("the pages", () => {
  const pages = ["README.md", "CONTRIBUTING.md", "SECURITY.md", ...listTree(["docs"], /\.md$/)];

  it("link to files and headings that are there", () => {
    for (const page of pages.filter((path) => path !== generated)) {
      assert.deepEqual(brokenLinks(page), [], page);
    }
  });
});
