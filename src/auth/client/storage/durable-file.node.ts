/** Steps on files that leave either the old state or the new one, whenever the process or the machine stops. */
import { link, open, rename, rm } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";

const renameAttempts = 50;

/** Writes a new file that only its owner may read, and waits until the disk has it. */
export async function writeDurably(file: string, text: string): Promise<void> {
  const handle = await open(file, "wx", 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Waits until the disk has the names in a folder. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === "win32") {
    return; // A folder cannot be opened there.
  }
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Gives a file a second name; whether both the name was to be had and the file was there. */
export async function isLinked(file: string, name: string): Promise<boolean> {
  try {
    await link(file, name);
    return true;
  } catch (error) {
    if (hasCode(error, "EEXIST", "ENOENT")) {
      return false;
    }
    throw error;
  }
}

/**
 * Renames a file over another one; whether it was still there. Windows refuses while anybody reads the other one, so it is
 * tried again there.
 */
export async function isRenamed(file: string, target: string): Promise<boolean> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await rename(file, target);
      return true;
    } catch (error) {
      if (hasCode(error, "ENOENT")) {
        return false;
      }
      const isInUse = process.platform === "win32" && hasCode(error, "EPERM", "EACCES", "EBUSY");
      if (!isInUse || attempt === renameAttempts) {
        throw error;
      }
      await setTimeout(10);
    }
  }
}

/** Removes a file, if it is there. */
export async function remove(file: string): Promise<void> {
  await rm(file, { force: true });
}

/** For `catch`: what is not there is `undefined`. */
export function ignoreMissing(error: unknown): undefined {
  if (!hasCode(error, "ENOENT")) {
    throw error;
  }
}

/** Whether an error has one of the codes of the system. */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && codes.includes((error as NodeJS.ErrnoException).code ?? "");
}
