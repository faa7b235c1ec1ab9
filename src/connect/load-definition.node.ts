/**
 * A source file to the server definition it exports. TypeScript that this Node cannot load is loaded by the tsx that is
 * installed beside the file.
 */
import { statSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { UsageError } from "../base/error.ts";
import type { Server } from "../server/server.ts";

/** What loading TypeScript depends on. */
export interface LoaderHost {
  /** Whether this Node runs TypeScript by itself. */
  readonly stripsTypes: boolean;
  /** Flags this Node was started with. */
  readonly execArgv: readonly string[];
}

const thisHost: LoaderHost = {
  stripsTypes: "typescript" in process.features && Boolean(process.features.typescript),
  execArgv: process.execArgv,
};

/**
 * Imports a file and gives its default export.
 *
 * @param path - a module whose default export is what `defineServer` returned
 * @throws {@link UsageError} when there is no such file, when it exports something else, and when it is TypeScript and
 * nothing here can run that; whatever importing it throws
 */
export async function loadDefinition(path: string): Promise<Server> {
  assertFile(path);
  const loader = findLoader(path);
  if (loader !== undefined) {
    await import(loader);
  }
  const module: Readonly<Record<string, unknown>> = await import(pathToFileURL(resolve(path)).href);
  const definition = readDefault(module);
  if (!isDefinition(definition)) {
    throw new UsageError(
      `${path}: expected the default export to be what defineServer returns, got ${describeExport(module, definition)}`,
    );
  }
  return definition;
}

/**
 * Checks that a path names a file.
 *
 * @throws {@link UsageError} otherwise
 */
export function assertFile(path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) {
    throw new UsageError(`there is no file ${resolve(path)}`);
  }
  if (!stats.isFile()) {
    throw new UsageError(`${path}: expected a source file, got a folder or a device`);
  }
}

/**
 * The module that has to be imported before a file can be; `undefined` where none has to.
 *
 * @throws {@link UsageError} when the file needs one and there is none
 */
export function findLoader(path: string, host: LoaderHost = thisHost): string | undefined {
  const isLoadable = /\.[cm]?js$/.test(path) || (/\.[cm]?ts$/.test(path) && host.stripsTypes);
  if (isLoadable || !/\.[cm]?[jt]sx?$/.test(path)) {
    return undefined;
  }
  const file = pathToFileURL(resolve(path));
  try {
    return pathToFileURL(createRequire(file).resolve("tsx")).href;
  } catch (cause) {
    if (host.execArgv.some((flag) => /^(--(import|loader|experimental-loader|require)\b|-r$)/.test(flag))) {
      // One of these may be able to load it. If not, the import says so.
      return undefined;
    }
    throw new UsageError(
      `${path}: this Node cannot load such a file by itself; install tsx beside it (npm install --save-dev tsx), or use Node 22.18 or newer for TypeScript`,
      { cause },
    );
  }
}

/** The default export, also of a module that was compiled to CommonJS, which has it one level deeper. */
function readDefault(module: Readonly<Record<string, unknown>>): unknown {
  const { default: exported } = module;
  return typeof exported === "object" && exported !== null && "default" in exported ? exported.default : exported;
}

/** By shape, because the file may import another copy of the package than the command does. */
function isDefinition(value: unknown): value is Server {
  return typeof value === "object" && value !== null && "dispatch" in value && "serve" in value;
}

function describeExport(module: Readonly<Record<string, unknown>>, exported: unknown): string {
  if (exported !== undefined) {
    return `a default export of type ${exported === null ? "null" : typeof exported}`;
  }
  const names = Object.keys(module).filter((name) => name !== "default" && name !== "module.exports");
  return names.length === 0 ? "a module without exports" : `no default export, only ${names.slice(0, 5).join(", ")}`;
}
