/**
 * Who has a lock, as the lock file says it: a state, then JSON. The state is overwritten in place when the owner lets go.
 */
import { open } from "node:fs/promises";
import { hostname } from "node:os";
import { isObject, parseJson } from "../../../base/json.ts";

/** The first characters of a lock file, of one length. */
export const lockStates = { held: "held", free: "free" };

/** Who has, or had, a lock. */
export interface LockOwner {
  /** Differs for every time that a lock is taken. */
  readonly token: string;
  readonly isFree: boolean;
  /** Whether the process that wrote this certainly runs no more. */
  readonly isDead: boolean;
  /** The owner that this one came after. */
  readonly after: string | undefined;
  /** Milliseconds since the epoch. */
  readonly sinceMs: number;
  readonly pid: number | undefined;
}

/** Longest lock file that is read, in bytes. */
const maxBytes = 4_096;

/** The text of a lock file of this process. */
export function encodeOwner(token: string, after: string | undefined): string {
  return `${lockStates.held}\n${JSON.stringify({ token, pid: process.pid, host: hostname(), after })}\n`;
}

/** Reads a lock file; `undefined` where there is none. Something else under its name is an owner that only ages. */
export async function readOwner(file: string): Promise<LockOwner | undefined> {
  let handle: Awaited<ReturnType<typeof open>>;
  try {
    handle = await open(file, "r");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") {
      return undefined;
    }
    throw error;
  }
  try {
    const { ino, mtimeMs } = await handle.stat();
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(maxBytes), 0, maxBytes, 0);
    const text = buffer.toString("utf8", 0, bytesRead);
    return parseOwner(text, mtimeMs) ?? toStranger(`${ino}-${Math.trunc(mtimeMs)}`, mtimeMs);
  } finally {
    await handle.close();
  }
}

function parseOwner(text: string, sinceMs: number): LockOwner | undefined {
  const parsed = parseJson(text.slice(lockStates.held.length), 2);
  if (!parsed.ok || !isObject(parsed.value)) {
    return undefined;
  }
  const { token, pid, host, after } = parsed.value;
  if (typeof token !== "string" || !/^[\w-]{1,64}$/.test(token) || typeof pid !== "number") {
    return undefined;
  }
  return {
    token,
    isFree: text.startsWith(lockStates.free),
    isDead: host === hostname() && !isRunning(pid),
    after: typeof after === "string" && /^[\w-]{1,64}$/.test(after) ? after : undefined,
    sinceMs,
    pid,
  };
}

function toStranger(token: string, sinceMs: number): LockOwner {
  return { token, isFree: false, isDead: false, after: undefined, sinceMs, pid: undefined };
}

function isRunning(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) {
    return false;
  }
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Somebody else's process runs as well.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
