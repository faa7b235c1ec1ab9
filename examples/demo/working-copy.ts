// A copy of a folder in a temporary place, so that a demo that renames and writes never touches anybody's files.

import { copyFile, mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type FileEntry, Folder } from "./folder.ts";

/** See the head of this file. */
export interface WorkingCopy {
  readonly folder: string;
  readonly fileCount: number;
  /** A text file in it, by its path. */
  readonly textFile: string;
  /** Whether files were left out. */
  readonly isPart: boolean;
  remove(): Promise<void>;
}

const maxFiles = 200;
const maxFileBytes = 1_024 * 1_024;

/**
 * Copies a folder, up to a bound.
 *
 * @throws Error for a folder without any text to work with
 */
export async function copyFolder(path: string): Promise<WorkingCopy> {
  const source = await Folder.open(path);
  const { files, isCut } = await source.scan();
  const copied = files.filter(({ size }) => size <= maxFileBytes).slice(0, maxFiles);
  const text = chooseTextFile(copied);
  if (text === undefined) {
    throw new Error(`${path}: expected a folder with at least one text file that is not empty`);
  }
  const folder = await realpath(await mkdtemp(join(tmpdir(), "parley-demo-")));
  for (const file of copied) {
    const target = join(folder, file.path);
    await mkdir(dirname(target), { recursive: true });
    await copyFile(join(source.root, file.path), target);
  }
  return {
    folder,
    fileCount: copied.length,
    textFile: text.path,
    isPart: isCut || copied.length < files.length,
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** The page a reader would begin with, else the first page, else the first text of any kind. */
function chooseTextFile(files: readonly FileEntry[]): FileEntry | undefined {
  const ofType = (types: RegExp): FileEntry[] =>
    files.filter(({ mimeType, size }) => types.test(mimeType ?? "") && size > 0);
  const pages = ofType(/^text\/(?:markdown|plain)$/);
  const [firstText] = ofType(/^text\/|^application\/(?:json|xml|yaml)$/);
  return pages.find(({ path }) => /^(?:index|readme)\./i.test(path)) ?? pages[0] ?? firstText;
}
