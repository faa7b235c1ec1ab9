/**
 * A store in the keychain of the operating system, through the optional package `@napi-rs/keyring`.
 *
 * Keychains take small values only and know neither versions nor several entries at once, so all values are one text, cut
 * into pieces under new names; writing the small entry that names the pieces makes them count.
 */
import { createHash } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import type { OnDiagnostic } from "../../../base/diagnostic.ts";
import { type Clock, systemClock } from "../../../base/timer.ts";
import type { DeleteOptions, KeyValue, SetOptions, StoredValue } from "../../../store/contracts.ts";
import { DocumentStore } from "./credential-document.ts";
import { FileLock } from "./file-lock.node.ts";
import { KeychainDocument, type KeyringModule } from "./keychain-document.node.ts";

/** Options of {@link openKeychain}. */
export interface KeychainOptions {
  /** Under what name everything is kept, as the user sees it in the keychain. One for an application. */
  service: string;
  /** What is used where there is no keychain, such as a credential file. */
  fallback: KeyValue;
  /** Told, once, when the fallback is used (`MCP_D_KEYCHAIN_UNAVAILABLE`), and when what is kept is damaged. */
  onDiagnostic: OnDiagnostic;
  /** The file by which processes take turns. Default: one in `.parley` in the user's home. */
  lockPath?: string | undefined;
  /** What time it is, for values that expire. Default: the system's. */
  clock?: Clock | undefined;
  /** Loads the module. Default: `@napi-rs/keyring`, where it is installed. */
  loadKeyring?: (() => Promise<KeyringModule>) | undefined;
}

/**
 * A store in the user's keychain. The first operation finds out whether there is one, by writing; where there is none, as on
 * a machine without a desktop, this and every later operation go to the fallback. What is in the one is not looked for in
 * the other.
 *
 * On Linux only the Secret Service counts: the kernel's keyring would forget everything at the next start.
 *
 * A keychain that fails later, as when the user has locked it, makes operations reject with `StoreError` (`unavailable`).
 * More than 256 KiB altogether is refused (`full`).
 *
 * @example
 * ```ts
 * import { homedir } from "node:os";
 * import { join } from "node:path";
 * import { openCredentialFile, openKeychain } from "parley-mcp/auth/client/node";
 *
 * export const store = openKeychain({
 *   service: "my-app",
 *   fallback: openCredentialFile(join(homedir(), ".config", "my-app", "credentials.json")),
 *   onDiagnostic: ({ message }) => process.stderr.write(`${message}\n`),
 * });
 * ```
 */
export function openKeychain(options: KeychainOptions): KeyValue {
  return new Keychain(options);
}

/** How long a lock may be held, in milliseconds: the system may ask the user for a password. */
const staleMs = 120_000;
const timeoutMs = 180_000;

class Keychain implements KeyValue {
  readonly #options: KeychainOptions;
  #chosen: Promise<KeyValue> | undefined;

  constructor(options: KeychainOptions) {
    this.#options = options;
  }

  async get(key: string): Promise<StoredValue | undefined> {
    return (await this.#store()).get(key);
  }

  async set(key: string, value: string, options?: SetOptions): Promise<string | undefined> {
    return (await this.#store()).set(key, value, options);
  }

  async delete(key: string, options?: DeleteOptions): Promise<boolean> {
    return (await this.#store()).delete(key, options);
  }

  async *keys(prefix: string): AsyncGenerator<string, void, undefined> {
    yield* (await this.#store()).keys(prefix);
  }

  #store(): Promise<KeyValue> {
    this.#chosen ??= this.#choose();
    return this.#chosen;
  }

  async #choose(): Promise<KeyValue> {
    const { service, fallback, onDiagnostic, clock = systemClock, loadKeyring = importKeyring } = this.#options;
    const { lockPath = defaultLockPath(service) } = this.#options;
    try {
      const keyring = await loadKeyring();
      await mkdir(dirname(lockPath), { recursive: true, mode: 0o700 });
      const lock = new FileLock(lockPath, { staleMs, timeoutMs });
      const document = new KeychainDocument({ keyring, service, lock, report: onDiagnostic });
      await document.probe();
      return new DocumentStore(document, clock);
    } catch (error) {
      onDiagnostic({
        code: "MCP_D_KEYCHAIN_UNAVAILABLE",
        message: `expected a keychain of the operating system (package @napi-rs/keyring), got none that works; credentials are kept by the fallback`,
        detail: error,
      });
      return fallback;
    }
  }
}

async function importKeyring(): Promise<KeyringModule> {
  return import("@napi-rs/keyring");
}

function defaultLockPath(service: string): string {
  const name = createHash("sha256").update(service).digest("hex").slice(0, 16);
  return join(homedir(), ".parley", `keychain-${name}.lock`);
}
