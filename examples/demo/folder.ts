// A folder of files that others may name paths in: nothing outside it is ever listed, read or changed. It knows nothing
// of MCP. Hidden files, `node_modules` and symbolic links are not part of it, wherever they lead.

import { constants } from "node:fs";
import { copyFile, open, readdir, realpath, stat, unlink } from "node:fs/promises";
import { basename, dirname, join, sep } from "node:path";
import { mediaTypeOf } from "./media-types.ts";

/** A file of the folder. */
export interface FileEntry {
  /** Below the folder, with slashes. */
  readonly path: string;
  /** In bytes. */
  readonly size: number;
  readonly modifiedMs: number;
  /** By its name; `undefined` where that says nothing. */
  readonly mimeType: string | undefined;
}

/** What is in the folder. */
export interface FolderContents {
  readonly files: readonly FileEntry[];
  /** Absolute paths of the folder and every folder in it. */
  readonly folders: readonly string[];
  /** Whether there are more files than are listed. */
  readonly isCut: boolean;
}

const maxFiles = 5_000;
const maxFileBytes = 2 * 1_024 * 1_024;

/** See the head of this file. */
export class Folder {
  /** Absolute, without symbolic links. */
  readonly root: string;

  private constructor(root: string) {
    this.root = root;
  }

  /** @throws Error when there is no such folder */
  static async open(path: string): Promise<Folder> {
    const root = await realpath(path).catch(() => undefined);
    if (root === undefined || !(await stat(root)).isDirectory()) {
      throw new Error(`${path}: expected a folder, got ${root === undefined ? "nothing" : "a file"} there`);
    }
    return new Folder(root);
  }

  /** All files, in the order of their paths, up to a bound. */
  async scan(): Promise<FolderContents> {
    const files: FileEntry[] = [];
    const folders: string[] = [];
    const waiting = [""];
    while (waiting.length > 0 && files.length < maxFiles) {
      const folder = waiting.shift() ?? "";
      folders.push(join(this.root, folder));
      const children = await readdir(join(this.root, folder), { withFileTypes: true }).catch(() => []);
      for (const child of children.filter(({ name }) => !isHidden(name))) {
        const path = folder === "" ? child.name : `${folder}/${child.name}`;
        if (child.isDirectory()) {
          waiting.push(path);
        } else if (child.isFile()) {
          const entry = await this.find(path);
          files.push(...(entry === undefined ? [] : [entry]));
        }
      }
    }
    const listed = files.slice(0, maxFiles).sort((one, other) => (one.path < other.path ? -1 : 1));
    return { files: listed, folders, isCut: waiting.length > 0 || files.length > maxFiles };
  }

  /** What is known of a file; `undefined` where the folder has none of that path. */
  async find(path: string): Promise<FileEntry | undefined> {
    const place = await this.#locate(path);
    const found = place === undefined ? undefined : await stat(place).catch(() => undefined);
    return found?.isFile()
      ? { path, size: found.size, modifiedMs: found.mtimeMs, mimeType: mediaTypeOf(path) }
      : undefined;
  }

  /**
   * The bytes of a file; `undefined` where the folder has none of that path.
   *
   * @throws Error for a file over the limit
   */
  async read(path: string): Promise<Uint8Array | undefined> {
    const entry = await this.find(path);
    const place = await this.#locate(path);
    if (entry === undefined || place === undefined) {
      return undefined;
    }
    if (entry.size > maxFileBytes) {
      throw new Error(`${path}: expected a file of at most ${maxFileBytes} bytes, got ${entry.size}`);
    }
    // What was checked may have become a link by now; such a one is not opened.
    const file = await open(place, constants.O_RDONLY | constants.O_NOFOLLOW);
    try {
      return await file.readFile();
    } finally {
      await file.close();
    }
  }

  /** Gives a file another path in the folder. Never replaces a file. */
  async rename(from: string, to: string): Promise<void> {
    const source = await this.#locate(from);
    const target = await this.#locateNew(to);
    if (source === undefined || target === undefined) {
      throw new Error(source === undefined ? `no file ${from}` : `${to}: expected a path in an existing folder here`);
    }
    await copyFile(source, target, constants.COPYFILE_EXCL).catch((error: NodeJS.ErrnoException) => {
      throw error.code === "EEXIST" ? new Error(`${to} exists already; choose another name`) : error;
    });
    await unlink(source);
  }

  /** Deletes a file. */
  async delete(path: string): Promise<void> {
    const place = await this.#locate(path);
    if (place === undefined) {
      throw new Error(`no file ${path}`);
    }
    await unlink(place);
  }

  /** Where a path is, if it is in the folder, nothing on the way is hidden and nothing on the way is a link. */
  async #locate(path: string): Promise<string | undefined> {
    if (!isPlain(path)) {
      return undefined;
    }
    const place = join(this.root, ...path.split("/"));
    const real = await realpath(place).catch(() => undefined);
    return real === place && real.startsWith(this.root + sep) ? real : undefined;
  }

  async #locateNew(path: string): Promise<string | undefined> {
    const parent = dirname(path);
    const folder = parent === "." ? this.root : await this.#locate(parent);
    return isPlain(path) && folder !== undefined ? join(folder, basename(path)) : undefined;
  }
}

/** Whether a path is made of plain names joined by slashes. */
function isPlain(path: string): boolean {
  return path !== "" && path.split("/").every((name) => name !== "" && !isHidden(name) && !/[\\\p{Cc}:]/u.test(name));
}

/** Names of hidden files, of `.` and `..`, and of installed packages. */
function isHidden(name: string): boolean {
  return name.startsWith(".") || name === "node_modules";
}
