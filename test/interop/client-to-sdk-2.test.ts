import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { isMcpError } from "parley-mcp";
import { createHttpLink } from "parley-mcp/http/client";
import { createStdioChannel, type StdioChannel } from "parley-mcp/stdio/client";
import { itAnswersQuestions, itFollowsCalls, itHearsOfChanges, itUsesFeatures } from "./client-contract.ts";
import { itSurvivesHttp } from "./client-http-contract.ts";
import { createAtEnd } from "./fixtures/at-end.ts";
import type { PeerHost } from "./fixtures/official-1-http.ts";
import { hostOfficial2 } from "./fixtures/official-2-http.ts";
import { isRunning, runFixture } from "./fixtures/peer-process.ts";
import { openListening, openRecorded, type RecordedSession } from "./fixtures/recording-client.ts";

const traits = { unknownTool: "error" } as const;

describe("our client with a server of SDK 2.x over Streamable HTTP with sessions", () => {
  const atEnd = createAtEnd();
  let host: PeerHost;
  let recorded: RecordedSession;
  before(async () => {
    host = await hostOfficial2("sessions");
    atEnd(() => host.close());
    recorded = await openListening(host.url);
    atEnd(() => recorded.session.close());
  });

  itUsesFeatures(() => recorded, traits);
  itFollowsCalls(() => recorded);
  itAnswersQuestions(() => recorded);
  itHearsOfChanges(() => recorded);
  itSurvivesHttp(() => host);
});

describe("our client with a server of SDK 2.x that answers in JSON", () => {
  const atEnd = createAtEnd();
  let recorded: RecordedSession;
  before(async () => {
    const host = await hostOfficial2("json");
    atEnd(() => host.close());
    recorded = await openListening(host.url);
    atEnd(() => recorded.session.close());
  });

  itUsesFeatures(() => recorded, traits);
});

for (const revision of ["2025-11-25", "2026-07-28"]) {
  describe(`our client with a server of SDK 2.x without sessions, ${revision}`, () => {
    const atEnd = createAtEnd();
    let recorded: RecordedSession;
    before(async () => {
      const host = await hostOfficial2("stateless");
      atEnd(() => host.close());
      // The newest one is what the client comes to by itself.
      const pinned = revision === "2025-11-25" ? { revision } : {};
      recorded = await openRecorded(createHttpLink(host.url), {}, pinned);
      atEnd(() => recorded.session.close());
    });

    itUsesFeatures(() => recorded, { ...traits, revision });
    itFollowsCalls(() => recorded);
  });
}

describe("our client with a server of SDK 2.x over stdio, in the newest revision", () => {
  const atEnd = createAtEnd();
  let recorded: RecordedSession;
  before(async () => {
    recorded = await openRecorded(createStdioChannel(runFixture("official-2-stdio.ts")));
    atEnd(() => recorded.session.close());
  });

  itUsesFeatures(() => recorded, { ...traits, revision: "2026-07-28" });
  itFollowsCalls(() => recorded);
});

describe("our client with a server of SDK 2.x over stdio", () => {
  const atEnd = createAtEnd();
  let channel: StdioChannel;
  let recorded: RecordedSession;
  before(async () => {
    channel = createStdioChannel(runFixture("official-2-stdio.ts"));
    recorded = await openRecorded(channel, {}, { revision: "2025-11-25" });
    atEnd(() => recorded.session.close());
  });

  itUsesFeatures(() => recorded, traits);
  itFollowsCalls(() => recorded);
  itAnswersQuestions(() => recorded);
  itHearsOfChanges(() => recorded);

  it("ends the process, and calls that wait with it [STDIO-010] [LIFE-021]", async () => {
    const { session, logs } = recorded;
    const call = session.callTool("wait", {});
    await logs.take("the call to have begun", ({ data }) => data === "waiting");
    const { pid } = channel;
    assert.ok(pid !== undefined && isRunning(pid));
    const failed = assert.rejects(call, (error) => isMcpError(error) && error.code === "MCP_CLOSED");
    await session.close();
    await failed;
    assert.equal(isRunning(pid), false);
  });
});
