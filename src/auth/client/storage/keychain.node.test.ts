import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { createFolder } from "../../../../test/fixtures/programs.ts";
import type { Diagnostic } from "../../../base/diagnostic.ts";
import { StoreError } from "../../../store/error.ts";
import { createFakeClock } from "../../../test/clock.ts";
import { describeKeyValue } from "../../../test/store.node.ts";
import { openCredentialFile } from "./credential-file.node.ts";
import { type KeychainOptions, openKeychain } from "./keychain.node.ts";
import type { KeyringModule, KeyringOptions } from "./keychain-document.node.ts";

/** A keychain as Windows has it, the narrowest. */
class FakeKeyring {
  readonly entries = new Map<string, string>();
  readonly options: (KeyringOptions | undefined)[] = [];
  /** Called before each access; may throw. */
  beforeEach: (access: "get" | "set" | "delete", account: string) => void = () => undefined;

  readonly load = async (): Promise<KeyringModule> => {
    const keyring = this;
    return {
      AsyncEntry: class {
        readonly #account: string;
        readonly #name: string;
        constructor(service: string, account: string, options?: KeyringOptions) {
          assert.ok(account.length <= 512);
          this.#account = account;
          this.#name = `${service}/${account}`;
          keyring.options.push(options);
        }
        async getPassword() {
          keyring.beforeEach("get", this.#account);
          return keyring.entries.get(this.#name) ?? null;
        }
        async setPassword(password: string) {
          keyring.beforeEach("set", this.#account);
          assert.ok(password.length > 0 && password.length * 2 <= 2_560, "a password of this size is refused");
          // biome-ignore lint/suspicious/noControlCharactersInRegex: any character of ASCII is meant
          assert.match(password, /^[\x00-\x7f]*$/);
          keyring.entries.set(this.#name, password);
        }
        async deletePassword() {
          keyring.beforeEach("delete", this.#account);
          return keyring.entries.delete(this.#name);
        }
      },
    };
  };
}

function openOn(folder: string, keyring: FakeKeyring, options: Partial<KeychainOptions> = {}) {
  return openKeychain({
    service: "app",
    fallback: openCredentialFile(join(folder, "fallback.json")),
    onDiagnostic: () => undefined,
    lockPath: join(folder, "keychain.lock"),
    loadKeyring: keyring.load,
    ...options,
  });
}

const openForContract = async () => {
  const folder = mkdtempSync(join(tmpdir(), "parley-test-"));
  const keyring = new FakeKeyring();
  const clock = createFakeClock(Date.now());
  return {
    store: openOn(folder, keyring, { clock }),
    other: openOn(folder, keyring, { clock }),
    advance: (ms: number) => clock.advance(ms),
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
};

describeKeyValue("openKeychain", openForContract, { maxValueLength: 10_000 });

function prepare(context: TestContext) {
  const folder = createFolder(context, {});
  const keyring = new FakeKeyring();
  const diagnostics: Diagnostic[] = [];
  const open = (options: Partial<KeychainOptions> = {}) =>
    openOn(folder, keyring, { onDiagnostic: (diagnostic) => diagnostics.push(diagnostic), ...options });
  return { folder, keyring, diagnostics, open, fallback: openCredentialFile(join(folder, "fallback.json")) };
}

const isUnavailable = (error: unknown): boolean => error instanceof StoreError && error.failure === "unavailable";

describe("openKeychain", () => {
  it("uses the fallback, and says so once, where there is no module, or every access throws", async (context) => {
    for (const broken of ["load", "get", "set"]) {
      const { open, keyring, diagnostics, fallback } = prepare(context);
      keyring.beforeEach = (access) => {
        if (access === broken) {
          throw new Error("Couldn't access platform storage");
        }
      };
      const noModule = { loadKeyring: () => Promise.reject(new Error("Cannot find package")) };
      const store = open(broken === "load" ? noModule : {});
      await Promise.all([store.set("k", "secret"), store.get("k"), store.set("l", "w")]);
      assert.equal((await store.get("k"))?.value, "secret");
      assert.equal((await fallback.get("k"))?.value, "secret");
      assert.equal(await store.delete("l"), true);
      assert.deepEqual(
        diagnostics.map(({ code }) => code),
        ["MCP_D_KEYCHAIN_UNAVAILABLE"],
      );
      assert.equal(keyring.entries.size, 0);
    }
  });

  it("loads the module with the first operation, not before", async (context) => {
    const { open, keyring } = prepare(context);
    let loads = 0;
    const loadKeyring = (): Promise<KeyringModule> => {
      loads += 1;
      return keyring.load();
    };
    const store = open({ loadKeyring });
    assert.equal(loads, 0);
    await Promise.all([store.get("k"), store.get("l")]);
    assert.equal(loads, 1);
  });

  it("keeps values in the keychain only, for every process of the service, and on Linux in a lasting one [AUTH-056]", async (context) => {
    const { open, keyring, fallback, diagnostics } = prepare(context);
    const version = await open().set("k", "v");
    assert.deepEqual(await open().get("k"), { value: "v", version });
    assert.equal(await open({ service: "another" }).get("k"), undefined);
    assert.equal(await fallback.get("k"), undefined);
    assert.ok(keyring.options.every((options) => options?.linux?.store === "secret-service"));
    assert.deepEqual(diagnostics, []);
  });

  it("leaves nothing of earlier writes behind", async (context) => {
    const { open, keyring } = prepare(context);
    const store = open();
    await store.set("k", "x".repeat(10_000));
    assert.ok(keyring.entries.size > 8);
    await store.set("k", "v");
    assert.equal(keyring.entries.size, 2);
  });

  it("has the old values or the new ones, whenever a writer stops, and removes its remains later", async (context) => {
    const { open, keyring } = prepare(context);
    await open().set("k", "old".repeat(1_000));
    for (let stopAfter = 0; stopAfter < 12; stopAfter += 1) {
      let changes = 0;
      keyring.beforeEach = (access) => {
        changes += access === "get" ? 0 : 1;
        if (changes > stopAfter) {
          throw new Error("stopped");
        }
      };
      await assert.rejects(open().set("k", "new".repeat(1_000)), isUnavailable);
      keyring.beforeEach = () => undefined;
      const value = (await open().get("k"))?.value ?? "";
      assert.ok(value === "old".repeat(1_000) || value === "new".repeat(1_000));
      await open().set("k", "old".repeat(1_000));
      assert.equal(keyring.entries.size, 4);
      if (value.startsWith("new")) {
        return;
      }
    }
    assert.fail("expected one of the writes to have been whole");
  });

  it("reads again when a writer removes pieces meanwhile", async (context) => {
    const { open, keyring } = prepare(context);
    await open().set("k", "old");
    const before = new Map(keyring.entries);
    await open().set("k", "new");
    const after = new Map(keyring.entries);
    keyring.entries.clear();
    for (const [name, value] of before) {
      keyring.entries.set(name, value);
    }
    const store = open();
    await store.get("k");
    let reads = 0;
    keyring.beforeEach = (_, account) => {
      reads += 1;
      if (account !== "head" && reads === 2) {
        keyring.entries.clear();
        for (const [name, value] of after) {
          keyring.entries.set(name, value);
        }
      }
    };
    assert.equal((await store.get("k"))?.value, "new");
  });

  it("begins anew, and says so, where what it finds is damaged", async (context) => {
    const { open, keyring, diagnostics } = prepare(context);
    await open().set("k", "secret");
    for (const name of keyring.entries.keys()) {
      if (name !== "app/head") {
        keyring.entries.delete(name);
      }
    }
    const store = open();
    assert.equal(await store.get("k"), undefined);
    await store.set("k", "v");
    assert.equal((await store.get("k"))?.value, "v");
    assert.equal(diagnostics[0]?.code, "MCP_D_KEYCHAIN_DAMAGED");
    assert.doesNotMatch(JSON.stringify(diagnostics), /secret/);
    keyring.entries.set("app/head", "{}");
    assert.equal(await store.get("k"), undefined);
  });

  it("rejects, and does not answer absent or turn to the fallback, when a keychain that worked fails", async (context) => {
    const { open, keyring, fallback } = prepare(context);
    const store = open();
    await store.set("k", "v");
    keyring.beforeEach = () => {
      throw new Error("locked");
    };
    await assert.rejects(store.get("k"), isUnavailable);
    await assert.rejects(store.set("k", "w"), isUnavailable);
    assert.equal(await fallback.get("k"), undefined);
  });

  it("refuses more than fits", async (context) => {
    const store = prepare(context).open();
    await store.set("k", "v");
    await assert.rejects(
      store.set("l", "x".repeat(300_000)),
      (error: unknown) => error instanceof StoreError && error.failure === "full",
    );
    assert.equal((await store.get("k"))?.value, "v");
  });
});
