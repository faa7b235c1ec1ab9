/** Opens a file with whichever SQLite there is: the one of Node, where it has one, or the optional package `libsql`. */
import { open } from "node:fs/promises";
import { dirname } from "node:path";
import { versions } from "node:process";
import { StoreError } from "../error.ts";
import type { Database } from "./database.ts";

type Driver = new (path: string) => Database;

/** Loads one driver each; rejects where it is not there. */
export interface DriverLoaders {
  readonly node: () => Promise<{ readonly DatabaseSync: Driver }>;
  readonly libsql: () => Promise<{ readonly default: Driver }>;
}

/** Not written into `import`, because types and bundlers of an older Node do not know the module. */
const nodeModule: string = "node:sqlite";

const installed: DriverLoaders = {
  node: () => import(nodeModule),
  libsql: () => import("libsql"),
};

/**
 * Opens a database, and makes its file where there is none.
 *
 * @param path - absolute, or `:memory:`
 * @throws StoreError `unavailable` where there is no driver, or the file cannot be made
 */
export async function openFile(path: string, loaders: DriverLoaders = installed): Promise<Database> {
  const OpenDatabase = await loadDriver(loaders);
  if (path !== ":memory:") {
    await makeFile(path);
  }
  return new OpenDatabase(path);
}

async function loadDriver({ node, libsql }: DriverLoaders): Promise<Driver> {
  try {
    return (await node()).DatabaseSync;
  } catch {
    // An older Node has no SQLite, or only behind a flag.
  }
  try {
    return (await libsql()).default;
  } catch (error) {
    throw new StoreError(
      "unavailable",
      `expected node:sqlite, which Node ${versions.node} does not have, or the package libsql, which cannot be loaded; run \`npm install libsql@0.5.29\`, use Node 24, or give sqlite() an open database`,
      { cause: error },
    );
  }
}

/**
 * Makes an empty file that only its owner can read; SQLite takes its mode for the files beside it. A file that exists is
 * not touched, because closing it would take away the locks that this process has on it.
 */
async function makeFile(path: string): Promise<void> {
  try {
    const file = await open(path, "wx", 0o600);
    await file.close();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") {
      return;
    }
    const reason =
      code === "ENOENT"
        ? `its folder does not exist; make "${dirname(path)}" first`
        : `${code ?? "it failed"}; look at the permissions of "${dirname(path)}"`;
    throw new StoreError("unavailable", `the SQLite file "${path}" could not be made: ${reason}`, { cause: error });
  }
}
