// The demo's client: connects to the server, walks through what the protocol offers, and checks every step. It does so
// in the newest revision, as the two agree on it, and then once more in an older one for what only that has.

import assert from "node:assert/strict";
import { connect } from "parley-mcp/connect/node";
import { layCable } from "./cable.ts";
import { createClient, createHost, type Host } from "./host.ts";
import type { FolderServer } from "./server.ts";
import { askingSteps } from "./steps-asking.ts";
import { callingSteps } from "./steps-calling.ts";
import { changeStep } from "./steps-changes.ts";
import { readingSteps } from "./steps-reading.ts";
import { sessionSteps } from "./steps-session.ts";
import { Transcript } from "./transcript.ts";
import type { Walk } from "./walk.ts";

/** Where the server is: at a URL, or a program that is to be started. */
export type ServerPlace = { readonly url: string } | ServerCommand;

/** A program that is to be started. */
interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
}

/** A revision that begins with a handshake. Only a client that insists on one names it. */
const olderRevision = "2025-11-25";

/** What is served. */
export type Served = Pick<Walk, "folder" | "textFile" | "fileCount">;

type Session = Walk["session"];

/** Walks from the first connection to the end. @returns whether every step went as it should */
export async function walkThrough(place: ServerPlace, served: Served, print: (line: string) => void): Promise<boolean> {
  const transcript = new Transcript(print);
  const host = createHost();
  const cable = "url" in place ? await layCable(place.url) : undefined;
  const target = "url" in place ? (cable?.url ?? place.url) : place;
  const shared = { ...served, transcript, host, cable };
  try {
    await withSession(
      "connect",
      shared,
      () => open(target, host),
      async (walk) => {
        await readingSteps(walk);
        await callingSteps(walk);
        await askingSteps(walk);
        await changeStep(walk);
        await pingStep(walk);
      },
    );
    await withSession("connect, older revision", shared, () => open(target, host, olderRevision), sessionSteps);
  } finally {
    cable?.close();
  }
  print(`\n${transcript.summary()}`);
  return transcript.isGood;
}

function open(target: string | ServerCommand, host: Host, revision?: string): Promise<Session> {
  return connect<FolderServer>(target, { client: createClient(host), revision });
}

/** Connects, takes the steps, and closes. */
async function withSession(
  name: string,
  shared: Omit<Walk, "session">,
  connecting: () => Promise<Session>,
  steps: (walk: Walk) => Promise<void>,
): Promise<void> {
  let session: Session | undefined;
  await shared.transcript.step(name, async () => {
    session = await connecting();
    const { info, revision, capabilities } = session.server;
    return `${info.name} ${info.version}, revision ${revision}, offers ${Object.keys(capabilities).sort().join(", ")}`;
  });
  if (session !== undefined) {
    const walk: Walk = { ...shared, session };
    await steps(walk);
    await closeStep(walk);
  }
}

function pingStep({ session, transcript }: Walk): Promise<void> {
  return transcript.step("ping", async () => {
    await session.ping();
    return "the server is there, to the end";
  });
}

function closeStep({ session, transcript }: Walk): Promise<void> {
  return transcript.step("close", async () => {
    await session.close();
    assert.equal(await session.closed, undefined);
    return "without a fault";
  });
}
