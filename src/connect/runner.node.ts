/**
 * How a server's source file is run in a process of its own: the arguments for Node.
 */
import { createRequire } from "node:module";
import { resolve } from "node:path";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";

/** Flags about how modules are found and loaded, which a file may need. All others are about this process alone. */
const plainFlags =
  /^--(?:experimental-(?:strip|transform)-types|no-experimental-strip-types|enable-source-maps|preserve-symlinks|no-warnings)$/;
const conditionFlag = /^(?:--conditions|-C)(?:=|$)/;
const importFlag = /^--(?:import|loader|experimental-loader)(?:=|$)/;
const requireFlag = /^(?:--require|-r)(?:=|$)/;

/**
 * Arguments for Node that run a server's source file over stdio.
 *
 * @param path - the file, whose default export is a server definition
 * @param execArgv - flags of this process, of which the file gets those about modules
 */
export function runnerArguments(path: string, execArgv: readonly string[] = process.execArgv): string[] {
  const program = new URL(
    import.meta.url.endsWith(".ts") ? "./runner-main.node.ts" : "./runner-main.node.js",
    import.meta.url,
  );
  return [...selectFlags(execArgv), fileURLToPath(program), resolve(path)];
}

function selectFlags(execArgv: readonly string[]): string[] {
  const selected: string[] = [];
  for (let index = 0; index < execArgv.length; index += 1) {
    const flag = execArgv[index] ?? "";
    const isImport = importFlag.test(flag);
    if (plainFlags.test(flag)) {
      selected.push(flag);
    } else if (isImport || requireFlag.test(flag) || conditionFlag.test(flag)) {
      const [name, inline] = splitFlag(flag);
      index += inline === undefined ? 1 : 0;
      const value = inline ?? execArgv[index] ?? "";
      selected.push(name, conditionFlag.test(flag) ? value : anchor(value, isImport));
    }
  }
  return selected;
}

function splitFlag(flag: string): readonly [name: string, value: string | undefined] {
  const end = flag.indexOf("=");
  return end === -1 ? [flag, undefined] : [flag.slice(0, end), flag.slice(end + 1)];
}

/** A module as this process finds it: the new one may run elsewhere, where the same name means nothing. */
function anchor(specifier: string, asUrl: boolean): string {
  try {
    const path = createRequire(pathToFileURL(resolve("here.js"))).resolve(specifier);
    return asUrl ? pathToFileURL(path).href : path;
  } catch {
    // A URL, or a package for imports alone: Node takes it as it is written.
    return specifier;
  }
}
