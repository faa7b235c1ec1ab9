/** `parley run FILE`: serves a definition over stdio or HTTP until it is stopped. */
import { UsageError } from "../base/error.ts";
import { endProcess } from "../connect/failure.node.ts";
import { serveFile } from "../connect/serve-file.node.ts";

/** Options of the command. */
export interface RunOptions {
  /** Port for HTTP; stdio without. */
  readonly http?: number | undefined;
  readonly host?: string | undefined;
  readonly path?: string | undefined;
  readonly allowHost?: readonly string[] | undefined;
}

/** Runs the command. Resolves once the server is ready. */
export async function run(file: string, { http: port, host, path, allowHost }: RunOptions): Promise<void> {
  if (port === undefined && (host ?? path ?? allowHost) !== undefined) {
    throw new UsageError("--host, --path and --allow-host are about HTTP: give --http with a port too");
  }
  try {
    await serveFile(file, port === undefined ? {} : { http: { port, host, path, allowedHosts: allowHost } });
  } catch (error) {
    // Unlike other errors, this one may be in the user's file.
    endProcess(error, file);
  }
}
