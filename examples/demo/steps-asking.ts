// Steps in which the server asks back: the client's model for a summary, the person before a file is changed. In the
// newest revision a question is the result of a call, which is then made again with the answer; the client does that.

import assert from "node:assert/strict";
import { access } from "node:fs/promises";
import { join } from "node:path";
import { shorten, type Walk } from "./walk.ts";

/** See the head of this file. */
export async function askingSteps({ session, transcript, host, folder, textFile }: Walk): Promise<void> {
  await transcript.step("summarise (sampling)", async () => {
    const { summary, model } = await session.tools.summarise({ path: textFile });
    assert.ok(summary.length > 0);
    return `${model}: ${shorten(summary, 70)}`;
  });

  await transcript.step("delete, declined", async () => {
    const { question, calls } = await declineDelete({ session, host, folder, textFile });
    assert.equal(calls, 2);
    return `asked in a result, answered by a second call; "${shorten(question, 48)}", and the file is still there`;
  });

  await transcript.step("rename, accepted", async () => {
    host.answer = ({ defaults }) => ({ action: "accept", content: defaults });
    const to = `${textFile}.renamed.md`;
    const gone = new Promise<void>((resolve) => {
      const stop = session.onNotification("notifications/resources/list_changed", () => {
        stop();
        resolve();
      });
    });
    const result = await session.tools.rename({ path: textFile, to });
    assert.deepEqual(result, { renamed: true, path: to });
    await gone;
    const names = (await session.listResources().all()).map(({ name }) => name);
    assert.ok(names.includes(to) && !names.includes(textFile));
    await session.tools.rename({ path: to, to: textFile });
    return "asked, renamed, the list changed; renamed back";
  });
}

/** Asks for a file to be deleted and says no. @returns what was asked, and how many calls that took */
export async function declineDelete({
  session,
  host,
  folder,
  textFile,
}: Pick<Walk, "session" | "host" | "folder" | "textFile">): Promise<{ question: string; calls: number }> {
  host.answer = () => ({ action: "decline" });
  const before = host.calls;
  const { deleted } = await session.tools.delete({ path: textFile });
  assert.equal(deleted, false);
  await access(join(folder, textFile));
  return { question: host.questions.at(-1) ?? assert.fail("expected a question"), calls: host.calls - before };
}
