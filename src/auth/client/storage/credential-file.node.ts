/**
 * A store in one JSON file that only its owner can read, shared by all processes of a user.
 *
 * Nothing is kept in memory: size and time of a file do not prove that it is the same, so every read reads it.
 * Specification: Basic > Authorization > Token Handling. Modes mean nothing on Windows, where the folder's permissions count.
 */
import { constants } from "node:fs";
import { type FileHandle, lstat, mkdir, open, realpath, rename } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import type { OnDiagnostic } from "../../../base/diagnostic.ts";
import { isMcpError } from "../../../base/error.ts";
import { type Clock, systemClock } from "../../../base/timer.ts";
import type { KeyValue } from "../../../store/contracts.ts";
import type { Entries } from "../../../store/entry.ts";
import { StoreError } from "../../../store/error.ts";
import { type CredentialDocument, DocumentStore, decodeEntries, encodeEntries } from "./credential-document.ts";
import { ignoreMissing } from "./durable-file.node.ts";
import { FileLock, type FileLockOptions } from "./file-lock.node.ts";
import type { HeldLock } from "./lock-claim.node.ts";

/** Options of {@link openCredentialFile}. */
export interface CredentialFileOptions {
  /** Largest file, in bytes. Default 4 MiB. */
  maxBytes?: number | undefined;
  /** How long a write waits for other processes, in milliseconds. Default 15 000. It keeps the process alive meanwhile. */
  lockTimeoutMs?: number | undefined;
  /** Told when the file had wider permissions or was damaged. Default: nobody. */
  onDiagnostic?: OnDiagnostic | undefined;
  /** What time it is, for values that expire. Default: the system's. */
  clock?: Clock | undefined;
}

/**
 * A store in a file with mode 0600. File and folder (mode 0700) are made by the first write; a write is on the disk, whole,
 * when its promise resolves, and a process that is killed leaves the old file or the new one.
 *
 * A file that others may read is narrowed to 0600, with the diagnostic `MCP_D_CREDENTIAL_FILE_MODE`. One that belongs to
 * another user, is no regular file, or is larger than `maxBytes` is refused. One that is damaged is moved aside as
 * `<name>.corrupt-<n>`, with the diagnostic `MCP_D_CREDENTIAL_FILE_DAMAGED`, and the store is empty then. A symbolic link to
 * a file is followed; one that leads nowhere is refused. Beside the file stands `<name>.lock`: the folder must allow hard
 * links and should be on a local disk.
 *
 * Every operation rejects with `StoreError`: `unavailable` where the file or its lock cannot be had, `full` where a write
 * would make it larger than `maxBytes`.
 *
 * @param path - the file, absolute or relative to the working directory of now
 *
 * @example
 * ```ts
 * import { homedir } from "node:os";
 * import { join } from "node:path";
 * import { openCredentialFile } from "parley-mcp/auth/client/node";
 *
 * export const store = openCredentialFile(join(homedir(), ".config", "my-app", "credentials.json"), {
 *   onDiagnostic: ({ message }) => process.stderr.write(`${message}\n`),
 * });
 * ```
 */
export function openCredentialFile(path: string, options: CredentialFileOptions = {}): KeyValue {
  return new DocumentStore(new CredentialFile(resolve(path), options), options.clock ?? systemClock);
}

class CredentialFile implements CredentialDocument {
  readonly #path: string;
  readonly #maxBytes: number;
  readonly #lockOptions: FileLockOptions;
  readonly #report: OnDiagnostic;
  #lock: { readonly target: string; readonly lock: FileLock } | undefined;

  constructor(path: string, { maxBytes = 4_194_304, lockTimeoutMs, onDiagnostic }: CredentialFileOptions) {
    this.#path = path;
    this.#maxBytes = maxBytes;
    this.#lockOptions = { timeoutMs: lockTimeoutMs };
    this.#report = onDiagnostic ?? (() => undefined);
  }

  async read(): Promise<Entries> {
    return this.#guard("read", async () => {
      const read = decode(await this.#readText(await this.#findTarget()));
      // Moving it aside is a write, so that is decided again when no other process writes.
      return read ?? (await this.#locked((held, target) => this.#load(held, target)));
    });
  }

  async change(edit: (entries: Entries) => boolean): Promise<void> {
    await this.#guard("write", () =>
      this.#locked(async (held, target) => {
        const entries = await this.#load(held, target);
        if (!edit(entries)) {
          return;
        }
        const text = encodeEntries(entries);
        if (Buffer.byteLength(text) > this.#maxBytes) {
          throw new StoreError(
            "full",
            `expected ${this.#path} to stay within ${this.#maxBytes} bytes; delete logins that are not needed, or raise maxBytes`,
          );
        }
        await held.replaceFile(target, text);
      }),
    );
  }

  async #locked<T>(work: (held: HeldLock, target: string) => Promise<T>): Promise<T> {
    await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 });
    const target = await this.#findTarget();
    if (this.#lock?.target !== target) {
      this.#lock = { target, lock: new FileLock(`${target}.lock`, this.#lockOptions) };
    }
    return this.#lock.lock.run((held) => work(held, target));
  }

  /** What is there; where it is damaged it is moved aside, and nothing is there then. */
  async #load(held: HeldLock, target: string): Promise<Entries> {
    const entries = decode(await this.#readText(target));
    if (entries !== undefined) {
      return entries;
    }
    await held.assertHeld();
    const aside = await findFreeName(`${target}.corrupt-`);
    await rename(target, aside);
    this.#report({
      code: "MCP_D_CREDENTIAL_FILE_DAMAGED",
      message: `expected credentials in ${this.#path}, got something else; it was moved to ${aside}, and logins begin anew`,
    });
    return new Map();
  }

  /** The file itself: what a symbolic link leads to, so that all who come by any name use one lock. */
  async #findTarget(): Promise<string> {
    const target = await realpath(this.#path).catch(ignoreMissing);
    if (target !== undefined) {
      return target;
    }
    if ((await lstat(this.#path).catch(ignoreMissing))?.isSymbolicLink() === true) {
      throw new StoreError("unavailable", `${this.#path}: expected a file or nothing, got a link that leads nowhere`);
    }
    const folder = await realpath(dirname(this.#path)).catch(ignoreMissing);
    return join(folder ?? dirname(this.#path), basename(this.#path));
  }

  /** `undefined` where there is no file. */
  async #readText(target: string): Promise<string | undefined> {
    // Without waiting, because a pipe without a writer would never open.
    const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);
    const handle = await open(target, flags).catch(ignoreMissing);
    if (handle === undefined) {
      return undefined;
    }
    try {
      await this.#inspect(handle);
      return await handle.readFile("utf8");
    } finally {
      await handle.close();
    }
  }

  /** Refuses what must not be used as credentials, and narrows what others may read. */
  async #inspect(handle: FileHandle): Promise<void> {
    const found = await handle.stat();
    if (!found.isFile()) {
      throw new StoreError("unavailable", `${this.#path}: expected a regular file, got something else`);
    }
    if (found.size > this.#maxBytes) {
      throw new StoreError(
        "unavailable",
        `${this.#path}: expected at most ${this.#maxBytes} bytes, got ${found.size}; raise maxBytes, or move it away`,
      );
    }
    if (process.getuid === undefined) {
      return;
    }
    if (found.uid !== process.getuid()) {
      throw new StoreError("unavailable", `${this.#path}: expected a file of this user, got one of user ${found.uid}`);
    }
    if ((found.mode & 0o077) !== 0) {
      await handle.chmod(0o600);
      this.#report({
        code: "MCP_D_CREDENTIAL_FILE_MODE",
        message: `expected ${this.#path} to have mode 0600, got 0${(found.mode & 0o777).toString(8)}; it was narrowed, but others may have read it: log in anew if that matters`,
      });
    }
  }

  async #guard<T>(what: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (isMcpError(error)) {
        throw error;
      }
      const reason = (error as NodeJS.ErrnoException).code ?? "an unexpected fault";
      throw new StoreError("unavailable", `expected to ${what} ${this.#path}, got ${reason}`, { cause: error });
    }
  }
}

/** Entries of a text, none where there is no text; `undefined` where it is damaged. */
function decode(text: string | undefined): Entries | undefined {
  if (text === undefined) {
    return new Map();
  }
  const decoded = decodeEntries(text);
  if (!decoded.ok && decoded.reason === "newer") {
    throw new StoreError("unavailable", "a later version of this library wrote the credentials; update this one");
  }
  return decoded.ok ? decoded.entries : undefined;
}

async function findFreeName(prefix: string): Promise<string> {
  for (let n = 1; ; n += 1) {
    if ((await lstat(`${prefix}${n}`).catch(ignoreMissing)) === undefined) {
      return `${prefix}${n}`;
    }
  }
}
