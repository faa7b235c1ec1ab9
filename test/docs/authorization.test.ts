// The page about authorization leaves no option out, and no row of the draft it was reconciled with.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readText } from "../../scripts/files.ts";

const page = readText("docs/authorization.md");

/** The members of an interface in a source file. */
function membersOf(path: string, name: string): string[] {
  const body = new RegExp(`export interface ${name}\\b[^{]*\\{\\n(.*?)\\n\\}`, "s").exec(readText(path))?.[1] ?? "";
  return [...body.matchAll(/^ {2}(?:readonly )?(\w+)\??[:(]/gm)].map(([, member = ""]) => member);
}

/** What a table cell names: `018, 019` and `029–033` are several. */
function rowsOf(cell: string): number[] {
  return cell.split(",").flatMap((part) => {
    const [first = 0, last = first] = part.split("–").map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
}

describe("docs/authorization.md", () => {
  it("names every option of clients and servers", () => {
    const options = [
      ["src/auth/client/options.ts", "OAuthClientOptions"],
      ["src/auth/client/options.ts", "StepUpOptions"],
      ["src/auth/client/login.node.ts", "LoginOptions"],
      ["src/auth/client/login/loopback.node.ts", "LoopbackAgentOptions"],
      ["src/auth/client/grants/authorization-code.ts", "AuthorizationCodeOptions"],
      ["src/auth/resource/options.ts", "ResourceOptions"],
      ["src/auth/resource/dpop.ts", "DpopOptions"],
      ["src/auth/resource/jwt.ts", "JwtChecks"],
      ["src/auth/resource/introspection.ts", "IntrospectionChecks"],
      ["src/auth/resource/requirement.ts", "UserAuthentication"],
    ] as const;
    const named = new Set(page.match(/\w+/g));
    for (const [path, name] of options) {
      const members = membersOf(path, name);
      assert.ok(members.length > 1, `expected to find the members of ${name}`);
      assert.deepEqual(
        members.filter((member) => !named.has(member)),
        [],
        name,
      );
    }
  });

  it("says of every row of the draft what is done", () => {
    const rows = [...page.matchAll(/^\| (\d{3}[\d, –]*) \| [^|]{8,} \| [^|]{3,} \|$/gm)].flatMap(([, cell = ""]) =>
      rowsOf(cell),
    );
    const table = readText("test/requirements/2025-11-25.tsv");
    const known = [...table.matchAll(/^AUTHDRAFT-(\d+)/gm)].map(([, number]) => Number(number));
    assert.ok(known.length > 30);
    assert.deepEqual(rows, known);
  });
});
