import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { AuthorizationError } from "../../../protocol/authorization-errors.ts";
import { assertionFile } from "./workload-identity.node.ts";

async function withFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "assertion-"));
  try {
    await work(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

const { signal } = new AbortController();

describe("assertionFile", () => {
  it("reads the file anew each time, without the white space around the assertion [X-WIF-003]", () =>
    withFolder(async (folder) => {
      const path = join(folder, "token");
      const read = assertionFile(path);
      await writeFile(path, "one\n");
      assert.equal(await read({ signal }), "one");
      await writeFile(path, "two");
      assert.equal(await read({ signal }), "two");
    }));

  it("names the file that is missing or too large, and not what is in it", () =>
    withFolder(async (folder) => {
      const path = join(folder, "token");
      const isNamed = (error: unknown) =>
        error instanceof AuthorizationError && error.message.includes(path) && !error.message.includes("xxxx");
      await assert.rejects(assertionFile(path)({ signal }), isNamed);
      await writeFile(path, "x".repeat(64 * 1024 + 1));
      await assert.rejects(assertionFile(path)({ signal }), isNamed);
    }));
});
