import assert from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { createFolder } from "../../../../test/fixtures/programs.ts";
import type { Diagnostic } from "../../../base/diagnostic.ts";
import { StoreError, type StoreFailure } from "../../../store/error.ts";
import { createFakeClock } from "../../../test/clock.ts";
import { describeKeyValue } from "../../../test/store.node.ts";
import { type CredentialFileOptions, openCredentialFile } from "./credential-file.node.ts";

const withoutModes = process.platform === "win32" ? "modes mean nothing there" : false;

describeKeyValue("openCredentialFile", async () => {
  const folder = mkdtempSync(join(tmpdir(), "parley-test-"));
  const file = join(folder, "kept", "credentials.json");
  const clock = createFakeClock(Date.now());
  return {
    store: openCredentialFile(file, { clock }),
    other: openCredentialFile(file, { clock }),
    advance: (ms) => clock.advance(ms),
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
});

function open(context: TestContext, options: CredentialFileOptions = {}) {
  const folder = createFolder(context, {});
  const file = join(folder, "credentials.json");
  const diagnostics: Diagnostic[] = [];
  const store = openCredentialFile(file, { onDiagnostic: (diagnostic) => diagnostics.push(diagnostic), ...options });
  return { folder, file, store, diagnostics };
}

const fails =
  (failure: StoreFailure, text: RegExp) =>
  (error: unknown): boolean =>
    error instanceof StoreError && error.failure === failure && text.test(error.message);

const modeOf = (path: string): number => statSync(path).mode & 0o777;

describe("openCredentialFile", () => {
  it("makes a folder and a file that nobody else can read, whatever the umask [AUTH-056]", {
    skip: withoutModes,
  }, async (context) => {
    const folder = join(createFolder(context, {}), "a", "b");
    const store = openCredentialFile(join(folder, "c.json"));
    assert.equal(await store.get("k"), undefined);
    assert.equal(existsSync(folder), false);
    const umask = process.umask(0);
    try {
      await store.set("k", "v");
    } finally {
      process.umask(umask);
    }
    assert.equal(modeOf(folder), 0o700);
    assert.deepEqual(
      readdirSync(folder).map((name) => [name, modeOf(join(folder, name))]),
      [
        ["c.json", 0o600],
        ["c.json.lock", 0o600],
      ],
    );
  });

  it("narrows a file that others may read, and says so once [AUTH-056]", { skip: withoutModes }, async (context) => {
    const { file, store, diagnostics } = open(context);
    await store.set("k", "secret");
    chmodSync(file, 0o644);
    assert.equal((await store.get("k"))?.value, "secret");
    await store.get("k");
    assert.equal(modeOf(file), 0o600);
    assert.deepEqual(
      diagnostics.map(({ code }) => code),
      ["MCP_D_CREDENTIAL_FILE_MODE"],
    );
    assert.match(diagnostics[0]?.message ?? "", /0644/);
    assert.doesNotMatch(JSON.stringify(diagnostics), /secret/);
  });

  it("keeps values and versions for the next process", async (context) => {
    const { file, store } = open(context);
    const version = await store.set("k", "v");
    const next = openCredentialFile(file);
    assert.deepEqual(await next.get("k"), { value: "v", version });
    assert.equal(typeof (await next.set("k", "w", { ifVersion: version })), "string");
  });

  it("gives no version twice, also when the file was lost", async (context) => {
    const { file, store } = open(context);
    const before = await store.set("k", "v");
    writeFileSync(file, "");
    assert.notEqual(await store.set("k", "v"), before);
  });

  for (const text of [
    "",
    "{",
    "[]",
    '{"format":1}',
    '{"format":1,"entries":[{"key":1}]}',
    "\u0000\u0000",
    "[".repeat(9_000),
  ]) {
    it(`moves a damaged file aside, loses nothing of it and begins anew: ${JSON.stringify(text.slice(0, 40))}`, async (context) => {
      const { file, store, diagnostics } = open(context);
      writeFileSync(file, text, { mode: 0o600 });
      writeFileSync(`${file}.corrupt-1`, "older");
      assert.equal(await store.get("k"), undefined);
      assert.equal(readFileSync(`${file}.corrupt-2`, "utf8"), text);
      assert.equal(readFileSync(`${file}.corrupt-1`, "utf8"), "older");
      await store.set("k", "v");
      assert.equal((await store.get("k"))?.value, "v");
      assert.deepEqual(
        diagnostics.map(({ code }) => code),
        ["MCP_D_CREDENTIAL_FILE_DAMAGED"],
      );
    });
  }

  it("leaves alone what a later version of the library wrote", async (context) => {
    const { file, store } = open(context);
    writeFileSync(file, '{"format":2}', { mode: 0o600 });
    await assert.rejects(store.get("k"), fails("unavailable", /later version/));
    await assert.rejects(store.set("k", "v"), fails("unavailable", /later version/));
    assert.equal(readFileSync(file, "utf8"), '{"format":2}');
  });

  it("refuses a write that would make the file too large, and a file that is", async (context) => {
    const { file, store } = open(context, { maxBytes: 1_000 });
    await store.set("k", "v");
    await assert.rejects(store.set("l", "secret".repeat(200)), fails("full", /1000 bytes/));
    assert.equal((await store.get("k"))?.value, "v");
    writeFileSync(file, "x".repeat(1_001));
    await assert.rejects(store.get("k"), fails("unavailable", /got 1001/));
    assert.equal(statSync(file).size, 1_001);
  });

  it("removes what has expired at the next write", async (context) => {
    const clock = createFakeClock(Date.now());
    const { file, store } = open(context, { clock });
    await store.set("k", "passing", { ttlMs: 10 });
    await clock.advance(10);
    assert.match(readFileSync(file, "utf8"), /passing/);
    await store.set("l", "v");
    assert.doesNotMatch(readFileSync(file, "utf8"), /passing/);
  });

  it("does not touch the file for a write whose version does not hold", async (context) => {
    const { file, store } = open(context);
    await store.set("k", "v");
    const before = statSync(file, { bigint: true });
    assert.equal(await store.set("k", "w", { ifVersion: null }), undefined);
    assert.equal(await store.delete("k", { ifVersion: "other" }), false);
    assert.equal(statSync(file, { bigint: true }).ino, before.ino);
  });

  it("follows a link to the file and keeps the link; refuses one that leads nowhere", {
    skip: withoutModes,
  }, async (context) => {
    const { folder, file, store } = open(context);
    mkdirSync(join(folder, "real"));
    const real = join(folder, "real", "r.json");
    symlinkSync(real, file);
    await assert.rejects(store.set("k", "v"), fails("unavailable", /leads nowhere/));
    await openCredentialFile(real).set("k", "v");
    await store.set("k", "w");
    assert.equal(readlinkSync(file), real);
    assert.equal((await openCredentialFile(real).get("k"))?.value, "w");
    assert.equal(existsSync(`${file}.lock`), false);
  });

  it("refuses what is no regular file, without waiting for it", async (context) => {
    const { file, store } = open(context);
    mkdirSync(file);
    await assert.rejects(store.get("k"), fails("unavailable", /credentials\.json/));
    await assert.rejects(store.set("k", "v"), fails("unavailable", /credentials\.json/));
  });

  it("rejects, and does not answer absent, where the file cannot be reached", async (context) => {
    const { folder } = open(context);
    writeFileSync(join(folder, "flat"), "");
    const store = openCredentialFile(join(folder, "flat", "credentials.json"));
    await assert.rejects(store.get("k"), fails("unavailable", /ENOTDIR/));
    await assert.rejects(store.set("k", "secret"), fails("unavailable", /expected to write .*, got E/));
  });
});
