/**
 * A file that says who wants a lock and that becomes the lock, and what its owner may do then. Who becomes owner is decided
 * in file-lock.node.ts.
 */
import { type FileHandle, open } from "node:fs/promises";
import { dirname } from "node:path";
import { createId } from "../../../base/id.ts";
import { isRenamed, remove, syncFolder, writeDurably } from "./durable-file.node.ts";
import { encodeOwner, lockStates, readOwner } from "./lock-owner.node.ts";

/** What holding a lock allows. */
export interface HeldLock {
  /** Throws where the lock was taken away, as from a process that was stopped; the work is then done again. */
  assertHeld(): Promise<void>;
  /** Replaces a file of the lock's folder at once and durably, mode 0600. Does nothing where the lock was taken away. */
  replaceFile(target: string, text: string): Promise<void>;
}

/** The lock was taken away while work was done under it. Stays between the lock and its claims. */
export class LockLost extends Error {}

/** See the head of this file. */
export class Claim implements HeldLock {
  readonly file: string;
  readonly #lock: string;
  readonly #token: string;
  readonly #handle: FileHandle;

  /** @param after - the owner that it is to come after */
  static async create(lock: string, after: string | undefined): Promise<Claim> {
    const token = createId();
    const handle = await open(claimOf(lock, token), "wx+", 0o600);
    try {
      await handle.writeFile(encodeOwner(token, after));
    } catch (error) {
      await handle.close();
      await remove(claimOf(lock, token));
      throw error;
    }
    return new Claim(lock, token, handle);
  }

  constructor(lock: string, token: string, handle: FileHandle) {
    this.file = claimOf(lock, token);
    this.#lock = lock;
    this.#token = token;
    this.#handle = handle;
  }

  async assertHeld(): Promise<void> {
    if ((await readOwner(this.#lock))?.token !== this.#token) {
      throw new LockLost();
    }
  }

  async replaceFile(target: string, text: string): Promise<void> {
    const scratch = scratchOf(this.#lock, this.#token);
    try {
      await writeDurably(scratch, text);
      // In this order: whoever takes the lock away replaces it first and removes the scratch file then.
      await this.assertHeld();
      if (!(await isRenamed(scratch, target))) {
        throw new LockLost();
      }
    } catch (error) {
      await remove(scratch);
      throw error;
    }
    await syncFolder(dirname(target));
  }

  /** Says that it is done; through the open file, so that it never reaches a lock that has taken the place of this one. */
  async letGo(): Promise<void> {
    try {
      await this.#handle.write(lockStates.free, 0);
    } finally {
      await this.#handle.close();
    }
  }
}

/** The name of a claim. */
export function claimOf(lock: string, token: string): string {
  return `${lock}.${token}`;
}

/** The name of what the owner writes, before it takes the place of another file. */
export function scratchOf(lock: string, token: string): string {
  return `${lock}.${token}.new`;
}
