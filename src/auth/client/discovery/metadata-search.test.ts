import assert from "node:assert/strict";
import { describe, it } from "node:test";

import {
  answerWith,
  createMetadataWeb,
  failWith,
  type WebAnswer,
} from "../../../../test/fixtures/auth/metadata-web.ts";
import { latestHandshake } from "../../../revision/registry.ts";
import { FetchFailure } from "../../fetch.ts";
import { AuthorizationRecord } from "../record.ts";
import { DiscoveryLog } from "./discovery-log.ts";
import type { Parsed } from "./metadata-fields.ts";
import { searchMetadata } from "./metadata-search.ts";

const bad = "https://bad.example/metadata";
const good = "https://good.example/metadata";

function parse(json: unknown): Parsed<unknown> {
  return JSON.stringify(json) === '{"good":true}' ? { ok: true, value: json } : { ok: false, problem: "no good" };
}

/** Asks an address that answers as given, then a good one. */
async function searchPast(answer: WebAnswer, signal = new AbortController().signal) {
  const web = createMetadataWeb({ [bad]: answer, [good]: { good: true } });
  const record = new AuthorizationRecord(() => 0);
  const log = new DiscoveryLog(record);
  const search = { stage: "server-metadata", urls: [bad, good], parse } as const;
  const result = await searchMetadata(search, { fetch: web.fetch, log, signal });
  const [first] = record.steps;
  return { web, result, first, steps: record.steps, isTransient: log.toError("server-metadata", "").isTransient };
}

describe("searchMetadata", () => {
  it("goes past every answer that is no valid document, and takes down what it was [PP-085]", async () => {
    const answers: readonly (readonly [WebAnswer, RegExp])[] = [
      [answerWith(401), /^status 401$/],
      [answerWith(403), /^status 403$/],
      [answerWith(500), /^status 500$/],
      [answerWith(302), /^status 302$/],
      [answerWith(202), /^status 202$/],
      [
        answerWith(200, "<!DOCTYPE html><p>hunter2", "text/html; charset=utf-8"),
        /^expected JSON, got "text\/html; charset=utf-8"$/,
      ],
      [answerWith(200, "", "application/json"), /^expected JSON, got "application\/json"$/],
      [answerWith(200, "[".repeat(100_000), "application/json"), /nested at most 32 levels/],
      [answerWith(200, "null"), /^no good$/],
      [[{ good: true }], /^no good$/],
      [failWith("too-large", "expected at most 262144 bytes"), /^expected at most 262144 bytes$/],
      [failWith("redirect"), /^stopped: redirect$/],
      [failWith("private-address"), /^stopped: private-address$/],
      [failWith("scheme"), /^stopped: scheme$/],
      [failWith("url"), /^stopped: url$/],
      [failWith("timeout"), /^stopped: timeout$/],
      [failWith("unreachable"), /^no answer: stopped: unreachable \(in a page, CORS/],
    ];
    for (const [answer, detail] of answers) {
      const { result, first, steps } = await searchPast(answer);
      assert.deepEqual(result, { value: { good: true }, isAbsent: false });
      assert.equal(first?.outcome, "failed");
      assert.equal(first?.url, bad);
      assert.match(first?.detail ?? "", detail);
      assert.equal(steps.length, 2);
      assert.deepEqual(steps[1], { atMs: 0, stage: "server-metadata", outcome: "ok", detail: "valid", url: good });
    }
  });

  it("stops at the first valid document", async () => {
    const { web } = await searchPast({ good: true });
    assert.deepEqual(web.asked, [bad]);
  });

  it("tells absence, which is 404 everywhere, from everything else [PP-085] [O0326-022]", async () => {
    const signal = new AbortController().signal;
    for (const [answer, isAbsent] of [
      [answerWith(404), true],
      [answerWith(410), false],
      [answerWith(401), false],
      [failWith("unreachable"), false],
      [{ good: false }, false],
    ] as const) {
      const { fetch } = createMetadataWeb({ [bad]: answer });
      const log = new DiscoveryLog(new AuthorizationRecord(() => 0));
      const search = { stage: "resource-metadata", urls: [bad, good], parse } as const;
      assert.deepEqual(await searchMetadata(search, { fetch, log, signal }), { value: undefined, isAbsent });
    }
  });

  it("marks what may go well later, and nothing else", async () => {
    for (const [answer, isTransient] of [
      [answerWith(503), true],
      [answerWith(429), true],
      [failWith("timeout"), true],
      [failWith("unreachable"), true],
      [answerWith(404), false],
      [answerWith(403), false],
      [failWith("private-address"), false],
    ] as const) {
      assert.equal((await searchPast(answer)).isTransient, isTransient);
    }
  });

  it("sends the revision with every request [AUTHDRAFT-012]", async () => {
    const { web } = await searchPast(answerWith(404));
    for (const { method, headers } of web.requests) {
      assert.equal(method, "GET");
      assert.deepEqual(headers, { accept: "application/json", "mcp-protocol-version": latestHandshake.id });
    }
    assert.equal(web.requests.length, 2);
  });

  it("asks once more without the revision where an address is out of reach, as a page's may be [PP-085]", async () => {
    const { web, result, steps } = await searchPast(({ headers = {} }) =>
      "mcp-protocol-version" in headers
        ? new FetchFailure("unreachable", bad, "failed to fetch")
        : Response.json({ good: true }),
    );
    assert.deepEqual(result.value, { good: true });
    assert.deepEqual(web.asked, [bad, bad]);
    assert.match(steps[0]?.detail ?? "", /^valid; out of reach with the header/);
  });

  it("asks once only after any other failure", async () => {
    const { web } = await searchPast(failWith("timeout"));
    assert.deepEqual(web.asked, [bad, good]);
  });

  it("ends with the signal's reason", async () => {
    const reason = new Error("enough");
    await assert.rejects(searchPast({ good: true }, AbortSignal.abort(reason)), reason);
  });

  it("lets faults through that are no failures of a request", async () => {
    const fault = new TypeError("broken fetch");
    await assert.rejects(
      searchPast(() => {
        throw fault;
      }),
      fault,
    );
  });
});
