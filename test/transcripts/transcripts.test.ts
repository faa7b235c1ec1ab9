// Replays every golden exchange over every link it is for. What a line means is fixtures/transcript.ts.

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { describe, it } from "node:test";
import type { Server } from "parley-mcp/server";
import { rawLinks } from "../fixtures/raw-links.ts";
import { isFor, readTranscript, replay } from "../fixtures/transcript.ts";
import { createLivelyServer, createTranscriptServer } from "../fixtures/transcript-server.ts";

interface Listed {
  readonly file: string;
  readonly title: string;
  /** What answers. Default: the server of most transcripts. */
  readonly app?: () => Server;
}

const listed: readonly Listed[] = [
  { file: "2024-11-05/handshake", title: "shakes hands in 2024-11-05 [LIFE-013] [LIFE-017]" },
  { file: "2024-11-05/tools", title: "lists and calls tools in 2024-11-05 [LIFE-017]" },
  { file: "2024-11-05/resources", title: "lists and reads resources in 2024-11-05 [LIFE-017]" },
  { file: "2024-11-05/prompts", title: "lists, fills in and completes prompts in 2024-11-05 [LIFE-017]" },
  { file: "2024-11-05/progress", title: "reports progress and logs in 2024-11-05 [LIFE-017]" },
  { file: "2025-03-26/handshake", title: "shakes hands in 2025-03-26 [LIFE-013] [LIFE-017]" },
  { file: "2025-03-26/tools", title: "lists and calls tools in 2025-03-26 [LIFE-017]" },
  { file: "2025-03-26/resources", title: "lists and reads resources in 2025-03-26 [LIFE-017]" },
  { file: "2025-03-26/prompts", title: "lists, fills in and completes prompts in 2025-03-26 [LIFE-017]" },
  { file: "2025-03-26/progress", title: "reports progress and logs in 2025-03-26 [LIFE-017]" },
  {
    file: "2025-03-26/batch",
    title:
      "answers batches in 2025-03-26, each good entry and each bad one, and takes no handshake in them [O0326-001] [O0326-003] [O0326-004] [O0326-005] [O0326-006] [O0326-008]",
  },
  { file: "2025-06-18/handshake", title: "shakes hands in 2025-06-18 [LIFE-013] [LIFE-017]" },
  { file: "2025-06-18/tools", title: "lists and calls tools in 2025-06-18 [LIFE-017]" },
  { file: "2025-06-18/resources", title: "lists and reads resources in 2025-06-18 [LIFE-017]" },
  { file: "2025-06-18/prompts", title: "lists, fills in and completes prompts in 2025-06-18 [LIFE-017]" },
  { file: "2025-06-18/progress", title: "reports progress and logs in 2025-06-18 [LIFE-017]" },
  { file: "2024-11-05/batch", title: "refuses batches in 2024-11-05 [O24-014] [O0326-009]" },
  { file: "2025-06-18/batch", title: "refuses batches in 2025-06-18 [BASE-019] [O0618-001] [O0326-009]" },
  { file: "2025-11-25/handshake", title: "shakes hands [LIFE-004] [LIFE-013] [PING-001]" },
  { file: "2025-11-25/tools", title: "lists and calls tools [TOOL-002] [TOOL-007] [TOOL-017]" },
  { file: "2025-11-25/resources", title: "lists, reads and watches resources [RES-002] [RES-004] [RES-006] [RES-008]" },
  { file: "2025-11-25/prompts", title: "lists, fills in and completes prompts [PROMPT-002] [PROMPT-004] [COMP-002]" },
  {
    file: "2025-11-25/progress",
    title: "reports progress and logs under the tokens and levels asked for [PROG-001] [LOG-005]",
  },
  {
    file: "2025-11-25/malformed-json",
    title: "answers what is no JSON with -32700, and goes on [BASE-010] [BASE-014]",
  },
  {
    file: "2025-11-25/not-json-rpc",
    title: "answers what is no message with -32600, and goes on [BASE-002] [BASE-015]",
  },
  { file: "2025-11-25/answers-to-nothing", title: "drops answers to nothing [BASE-010] [BASE-023] [HTTP-011]" },
  {
    file: "2025-11-25/id-types",
    title: "takes strings and integers as ids and gives them back [BASE-003] [BASE-004] [BASE-007]",
  },
  {
    file: "2025-11-25/wrong-params",
    title:
      "answers params that break the schema with -32602 [BASE-017] [TOOL-007] [TOOL-019] [PROMPT-003] [LOG-007] [COMP-002] [PAGE-006]",
  },
  { file: "2025-11-25/positional-params", title: "refuses params that are no object [BASE-020]" },
  {
    file: "2025-11-25/unknown-names",
    title: "names the nearest tool, prompt and argument [TOOL-018] [TOOL-019] [PROMPT-009]",
  },
  {
    file: "2025-11-25/unknown-methods",
    title: "answers unknown methods, and those of clients, with -32601 [BASE-016] [BASE-022]",
  },
  {
    file: "2025-11-25/notification-garbage",
    title: "answers no notification, whatever is in it [BASE-012] [CANCEL-006] [HTTP-010] [PROG-008]",
  },
  {
    file: "2025-11-25/malformed-notifications",
    title: "answers no malformed notification, but by its status over HTTP [BASE-012] [HTTP-011]",
  },
  { file: "2025-11-25/duplicate-id", title: "never mixes up two requests with one id [PP-017]" },
  { file: "2025-11-25/cancelled", title: "stops a cancelled request and does not answer it [CANCEL-005] [CANCEL-006]" },
  { file: "2025-11-25/batch", title: "refuses batches [BASE-019]" },
  { file: "2025-11-25/deep-json", title: "refuses JSON that is nested too deeply, and goes on" },
  { file: "2025-11-25/oversize", title: "refuses a message that is too large, and goes on [PP-026]" },
  { file: "2025-11-25/invalid-utf8", title: "refuses bytes that are not UTF-8, and goes on [STDIO-004] [PP-028]" },
  {
    file: "2025-11-25/before-initialize",
    title: "serves nothing but ping before the handshake [LIFE-009] [LIFE-010] [HTTP-044]",
  },
  {
    file: "2025-11-25/broken-initialize",
    title: "refuses a broken handshake, and takes the next [LIFE-002] [LIFE-003]",
  },
  { file: "2025-11-25/second-initialize", title: "refuses a second handshake and stays in the first [LIFE-011]" },
  { file: "2025-11-25/unknown-revision", title: "offers its newest revision to a client of an unknown one [LIFE-014]" },
  {
    file: "2026-07-28/discover",
    title:
      "says what there is before anything else, the same each time [M-DISC-001] [M-DISC-002] [M-DISC-006] [M-BASE-003]",
  },
  {
    file: "2026-07-28/tools",
    title: "lists and calls tools without a handshake [M-BASE-004] [M-CACHE-001] [M-META-005]",
  },
  { file: "2026-07-28/resources", title: "lists and reads resources without a handshake [M-BASE-004] [M-RES-001]" },
  {
    file: "2026-07-28/prompts",
    title: "lists, fills in and completes prompts without a handshake [M-BASE-004] [M-CACHE-001] [M-COMP-001]",
  },
  {
    file: "2026-07-28/progress",
    title: "reports progress and logs as each request asks for [M-LOG-001] [M-LOG-002] [M-PROG-001]",
  },
  {
    file: "2026-07-28/input-rounds",
    title:
      "asks in results and takes the answers with the next request [M-MRTR-001] [M-MRTR-003] [M-MRTR-009] [M-MRTR-018] [M-ERR-008]",
    app: createLivelyServer,
  },
  {
    file: "2026-07-28/listen",
    title:
      "tells of changes on streams, by the id of each, until they are cancelled [M-SUB-003] [M-SUB-004] [M-SUB-005] [M-SUB-007] [M-SUB-011]",
    app: createLivelyServer,
  },
  {
    file: "2026-07-28/beside-a-session",
    title: "serves a session and what stands for itself on one pipe [M-VER-005] [M-VER-006] [M-VER-007] [OLEG-006]",
  },
  {
    file: "2026-07-28/metadata",
    title: "refuses requests without their metadata [M-META-004] [M-BASE-014] [M-LOG-004]",
  },
  {
    file: "2026-07-28/unknown-revision",
    title: "refuses versions that are not spoken, naming those that are, and goes on [M-VER-001] [M-ERR-009]",
  },
  {
    file: "2026-07-28/unknown-methods",
    title: "knows none of the methods that are gone [M-BASE-015] [M-ERR-010] [M-ERR-012]",
  },
  { file: "2026-07-28/unknown-names", title: "names the nearest tool, prompt and argument [M-ERR-014] [M-COMP-001]" },
  { file: "2026-07-28/wrong-params", title: "answers params that break the schema with -32602 [M-TOOL-007]" },
  { file: "2026-07-28/malformed-json", title: "answers what is no JSON with -32700, without a handshake [M-ERR-003]" },
  { file: "2026-07-28/not-json-rpc", title: "answers what is no message with -32600, without a handshake [M-ERR-003]" },
  {
    file: "2026-07-28/positional-params",
    title: "refuses params that are no object, without a handshake [M-BASE-014]",
  },
  { file: "2026-07-28/batch", title: "refuses batches, without a handshake [M-HTTP-002]" },
  { file: "2026-07-28/answers-to-nothing", title: "drops answers, as nothing was asked [M-BASE-001] [M-HTTP-002]" },
  { file: "2026-07-28/id-types", title: "gives ids back as they came, without a handshake [M-ERR-012]" },
  {
    file: "2026-07-28/notifications",
    title: "answers no notification, known, gone or malformed [M-BASE-016] [M-CANCEL-004] [M-HTTP-003]",
  },
  {
    file: "2026-07-28/duplicate-id",
    title: "never mixes up two requests with one id, without a handshake [M-BASE-003]",
  },
  { file: "2026-07-28/cancelled", title: "is silent about what was cancelled on a pipe [M-STDIO-003] [M-CANCEL-004]" },
  { file: "2026-07-28/deep-json", title: "refuses JSON that is nested too deeply, without a handshake" },
  { file: "2026-07-28/oversize", title: "refuses a message that is too large, without a handshake" },
  { file: "2026-07-28/invalid-utf8", title: "refuses bytes that are not UTF-8, without a handshake" },
];

const folder = new URL("./", import.meta.url);

describe("transcripts", () => {
  for (const { file, title, app = createTranscriptServer } of listed) {
    const lines = readTranscript(new URL(`${file}.jsonl`, folder));
    for (const kind of rawLinks.filter(({ name }) => isFor(lines, name))) {
      it(`${title} (${kind.name})`, () => replay(lines, kind, app()));
    }
  }

  it("are all replayed", () => {
    const found = readdirSync(folder, { recursive: true })
      .map(String)
      .filter((path) => path.endsWith(".jsonl"));
    assert.deepEqual(found.sort(), listed.map(({ file }) => `${file}.jsonl`).sort());
  });
});
