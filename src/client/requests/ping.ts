/** Asking a server whether it is there, in whatever way its revision has for that; nothing is kept of the answer. */
import type { RequestOptions } from "../../protocol/outgoing.ts";
import { discoverMethod } from "../sessions/discovery.ts";
import type { Connection } from "./connection.ts";

/** Resolves when the server has answered. Specification: Basic > Utilities > Ping; Basic > Discovery. */
export async function ping(connection: Connection, options?: RequestOptions): Promise<void> {
  await connection.request(connection.isStateless ? discoverMethod : "ping", {}, options);
}
