import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { isMcpError } from "parley-mcp";
import { createHttpLink } from "parley-mcp/http/client";
import { createStdioChannel, type StdioChannel } from "parley-mcp/stdio/client";
import { itAnswersQuestions, itFollowsCalls, itHearsOfChanges, itUsesFeatures } from "./client-contract.ts";
import { itSurvivesHttp } from "./client-http-contract.ts";
import { createAtEnd } from "./fixtures/at-end.ts";
import { hostOfficial1, type PeerHost } from "./fixtures/official-1-http.ts";
import { isRunning, runFixture } from "./fixtures/peer-process.ts";
import { openListening, openRecorded, type RecordedSession } from "./fixtures/recording-client.ts";

/** SDK 1.x answers an unknown tool with a failed result, where the specification asks for -32602. */
const traits = { unknownTool: "result" } as const;

describe("our client with a server of SDK 1.x over Streamable HTTP with sessions", () => {
  const atEnd = createAtEnd();
  let host: PeerHost;
  let recorded: RecordedSession;
  before(async () => {
    host = await hostOfficial1("sessions");
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

describe("our client with a server of SDK 1.x that answers in JSON", () => {
  const atEnd = createAtEnd();
  let recorded: RecordedSession;
  before(async () => {
    const host = await hostOfficial1("json");
    atEnd(() => host.close());
    recorded = await openListening(host.url);
    atEnd(() => recorded.session.close());
  });

  itUsesFeatures(() => recorded, traits);
});

describe("our client with a server of SDK 1.x without sessions", () => {
  const atEnd = createAtEnd();
  let recorded: RecordedSession;
  before(async () => {
    const host = await hostOfficial1("stateless");
    atEnd(() => host.close());
    recorded = await openRecorded(createHttpLink(host.url));
    atEnd(() => recorded.session.close());
  });

  itUsesFeatures(() => recorded, traits);
  itFollowsCalls(() => recorded);
});

describe("our client with a server of SDK 1.x over stdio", () => {
  const atEnd = createAtEnd();
  let channel: StdioChannel;
  let recorded: RecordedSession;
  before(async () => {
    channel = createStdioChannel(runFixture("official-1-stdio.ts"));
    recorded = await openRecorded(channel);
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
