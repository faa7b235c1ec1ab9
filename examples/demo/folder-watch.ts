// Tells what has changed in a folder. Events of the file system are only hints, which may be doubled, late or missing a
// name: each leads to a new look at the folder, and what differs from the last look is what has changed.

import { type FSWatcher, watch } from "node:fs";
import type { FileEntry, Folder } from "./folder.ts";

/** What differs between two looks. */
export interface FolderChanges {
  /** New files, and files whose size or time is another. */
  readonly changed: readonly FileEntry[];
  /** Paths of files that are gone. */
  readonly removed: readonly string[];
}

/** Writers touch a file several times; this long after the last hint they are likely to be done. */
const settleMs = 40;
/** How often is looked where the system gives no hints. */
const pollMs = 1_000;

/** See the head of this file. */
export class FolderWatch {
  readonly #folder: Folder;
  readonly #onChanges: (changes: FolderChanges) => void;
  readonly #watchers = new Map<string, FSWatcher>();
  #known = new Map<string, FileEntry>();
  #timer: NodeJS.Timeout | undefined;
  #poll: NodeJS.Timeout | undefined;
  #looking: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(folder: Folder, onChanges: (changes: FolderChanges) => void) {
    this.#folder = folder;
    this.#onChanges = onChanges;
  }

  /** Looks for the first time, when everything is new, and watches from then on. */
  async start(): Promise<void> {
    await this.look();
  }

  /** Looks now, after a look that is in progress. */
  look(): Promise<void> {
    this.#looking = this.#looking.then(() => this.#look());
    return this.#looking;
  }

  /** Stops watching. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    clearInterval(this.#poll);
    for (const watcher of this.#watchers.values()) {
      watcher.close();
    }
    this.#watchers.clear();
  }

  async #look(): Promise<void> {
    let contents = await this.#folder.scan();
    // A folder that was not watched yet may have changed before it was: it is looked at once more.
    while (this.#watchFolders(contents.folders)) {
      contents = await this.#folder.scan();
    }
    const now = new Map(contents.files.map((file) => [file.path, file]));
    const changed = contents.files.filter((file) => !isSame(file, this.#known.get(file.path)));
    const removed = [...this.#known.keys()].filter((path) => !now.has(path));
    this.#known = now;
    if (changed.length + removed.length > 0 && !this.#closed) {
      this.#onChanges({ changed, removed });
    }
  }

  /** @returns whether there was a folder to watch that had not been watched */
  #watchFolders(folders: readonly string[]): boolean {
    for (const [path, watcher] of this.#watchers) {
      if (!folders.includes(path)) {
        watcher.close();
        this.#watchers.delete(path);
      }
    }
    const unwatched =
      this.#closed || this.#poll !== undefined ? [] : folders.filter((path) => !this.#watchers.has(path));
    for (const path of unwatched) {
      try {
        const watcher = watch(path, { persistent: false }, () => this.#hint());
        watcher.on("error", () => this.#hint());
        this.#watchers.set(path, watcher);
      } catch {
        // No more watches, or a file system without them: looking regularly finds the same, only later.
        this.#poll ??= setInterval(() => this.#hint(), pollMs).unref();
      }
    }
    return unwatched.length > 0;
  }

  #hint(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.look(), settleMs).unref();
  }
}

function isSame(file: FileEntry, before: FileEntry | undefined): boolean {
  return file.size === before?.size && file.modifiedMs === before.modifiedMs;
}
