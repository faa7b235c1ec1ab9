// Steps of a client that insists on a revision with sessions, as most clients of today speak it, with the same server:
// the question comes while the call runs, and an answer whose connection was cut arrives over the next one.

import assert from "node:assert/strict";
import { declineDelete } from "./steps-asking.ts";
import { countSearches } from "./steps-calling.ts";
import { changeFile } from "./steps-changes.ts";
import { shorten, type Walk } from "./walk.ts";

/** See the head of this file. */
export async function sessionSteps(walk: Walk): Promise<void> {
  const { transcript, cable } = walk;
  await transcript.step("delete, declined", async () => {
    const { question, calls } = await declineDelete(walk);
    assert.equal(calls, 1);
    return `asked while the call ran, one call; "${shorten(question, 48)}", and the file is still there`;
  });

  if (cable === undefined) {
    transcript.skip("cut the connection", "there is no network between the two; run the demo without --stdio");
  } else {
    await transcript.step("cut the connection", () => cutConnection(walk, cable));
    await transcript.step("subscribe after the cut", () => changeFile(walk));
  }
}

/** A search whose connection goes away: it goes on at the server, and its answer arrives over the next connection. */
async function cutConnection({ session, fileCount }: Walk, cable: NonNullable<Walk["cable"]>): Promise<string> {
  const before = await countSearches(session);
  const steps: number[] = [];
  let connections = 0;
  const cutAt = Math.min(3, fileCount);
  const pauseMs = Math.min(1_000, Math.ceil(1_500 / fileCount));
  const onProgress = ({ progress }: { progress: number }): void => {
    steps.push(progress);
    if (steps.length === cutAt) {
      connections = cable.cut();
    }
  };
  const { files } = await session.tools.search({ query: "the", pauseMs }, { onProgress });
  assert.equal(files, fileCount);
  assert.ok(connections > 0);
  assert.deepEqual(
    steps,
    Array.from({ length: fileCount }, (_, index) => index + 1),
  );
  assert.equal((await countSearches(session)).started, before.started + 1);
  return `${connections} connections cut at step ${cutAt} of ${fileCount}: resumed, no step lost or doubled, searched once`;
}
