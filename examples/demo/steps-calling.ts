// Steps that call tools: a search with progress and log messages, errors that help, a cancellation that really stops it.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { shorten, type Walk } from "./walk.ts";

/** See the head of this file. */
export async function callingSteps({ session, transcript, host, fileCount, folder, textFile }: Walk): Promise<void> {
  await transcript.step("search", async () => {
    await session.setLogLevel("debug");
    // Something that is certainly there, whatever folder is served.
    const query = /\S+/.exec(await readFile(join(folder, textFile), "utf8"))?.[0].slice(0, 20) ?? "";
    const steps: number[] = [];
    host.logs.length = 0;
    const { hits, files } = await session.tools.search(
      { query },
      { onProgress: ({ progress }) => steps.push(progress) },
    );
    assert.equal(files, fileCount);
    assert.equal(steps.at(-1), fileCount);
    assert.ok(hits.length > 0 && host.logs.length > 0);
    return `${hits.length} hits in ${files} files; ${steps.length} steps of progress, ${host.logs.length} log messages`;
  });

  await transcript.step("wrong arguments", async () => {
    // @ts-expect-error a misspelt argument does not compile; whoever writes without types is told by the server
    const { isError, content } = await session.callTool("search", { qery: "the" });
    const [block] = content;
    assert.ok(isError === true && block?.type === "text" && block.text.includes("query"));
    return shorten(block.text);
  });

  await transcript.step("unknown tool", async () => {
    const error = await session.callTool("serch" as "search", { query: "the" }).catch((caught: unknown) => caught);
    assert.ok(error instanceof Error && error.message.includes("search"));
    return shorten(error.message);
  });

  await transcript.step("cancel a slow search", async () => {
    const before = await countSearches(session);
    const controller = new AbortController();
    const reason = new Error("changed my mind");
    const call = session.tools.search(
      { query: "the", pauseMs: 1_000 },
      { signal: controller.signal, onProgress: () => controller.abort(reason) },
    );
    await assert.rejects(call, (error) => error === reason);
    const startedMs = performance.now();
    while ((await countSearches(session)).cancelled === before.cancelled && performance.now() - startedMs < 3_000) {
      await pause(10);
    }
    assert.equal((await countSearches(session)).cancelled, before.cancelled + 1);
    return "given up after the first file; the server stopped too";
  });
}

/** How the server's searches ended: a request outside the protocol, which both sides may agree on. */
export async function countSearches(
  session: Walk["session"],
): Promise<{ started: number; finished: number; cancelled: number }> {
  const counts = await session.request("demo/searches");
  const read = (name: string): number => Number(counts[name]);
  return { started: read("started"), finished: read("finished"), cancelled: read("cancelled") };
}
