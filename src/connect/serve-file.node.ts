/**
 * A source file served as a program: what `parley run` does, and the process that `connect` starts for a file.
 */
import process from "node:process";
import { UsageError } from "../base/error.ts";
import { guardStdout } from "../stdio/stdout-guard.node.ts";
import { loadDefinition } from "./load-definition.node.ts";
import { type Served, type ServeOptions, serve } from "./serve.node.ts";

/**
 * Loads the definition and serves it. Over stdio, what the file prints while it is loaded is kept off the wire too.
 *
 * @throws {@link UsageError} as `loadDefinition` and `serve` do, and when the file serves itself over stdio; whatever
 * importing it throws
 */
export async function serveFile(path: string, options: ServeOptions): Promise<Served> {
  if (options.http !== undefined) {
    return await serve(await loadDefinition(path), options);
  }
  const unguard = guardStdout(process.stdout, process.stderr, ({ code, message }) => {
    process.stderr.write(`${code}: ${message}\n`);
  });
  const definition = await loadDefinition(path).finally(unguard);
  if (process.stdin.listenerCount("data") + process.stdin.listenerCount("readable") > 0) {
    throw new UsageError(
      `${path}: expected a file that only exports a definition, got one that reads standard input as soon as it is ` +
        `loaded: leave serving to this command, or run the file itself with node`,
    );
  }
  return await serve(definition, options);
}
