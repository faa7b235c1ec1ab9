import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { createHttpLink } from "parley-mcp/http/client";
import { createCompatibleHttpLink } from "parley-mcp/http/legacy/client";
import { createStdioChannel, type StdioChannel } from "parley-mcp/stdio/client";
import { createVisits, itAnswersEverything, itExploresEverything, itFollowsEverything } from "./everything-contract.ts";
import { createAtEnd } from "./fixtures/at-end.ts";
import { createCuttingFetch } from "./fixtures/cutting-fetch.ts";
import { isRunning, type ListeningProcess, runPackage, startListening } from "./fixtures/peer-process.ts";
import { openListening, openRecorded, type RecordedSession, textOf } from "./fixtures/recording-client.ts";

const everything = "@modelcontextprotocol/server-everything";

describe("our client with server-everything over stdio", () => {
  const atEnd = createAtEnd();
  const visits = createVisits();
  let channel: StdioChannel;
  let recorded: RecordedSession;
  before(async () => {
    process.env.PARLEY_INTEROP_SECRET = "hidden";
    atEnd(() => delete process.env.PARLEY_INTEROP_SECRET);
    channel = createStdioChannel({ ...runPackage(everything, "stdio"), env: { PARLEY_INTEROP_GIVEN: "given" } });
    recorded = await openRecorded(channel, { elicitation: visits.elicitation });
    atEnd(() => recorded.session.close());
  });

  itExploresEverything(() => recorded);
  itFollowsEverything(() => recorded);
  itAnswersEverything(() => recorded, visits);

  it("gives the server what it was told to, and no secret of ours [PP-031]", async () => {
    const environment = JSON.parse(textOf(await recorded.session.callTool("get-env", {}))) as Record<string, string>;
    assert.equal(environment.PARLEY_INTEROP_GIVEN, "given");
    assert.equal(environment.PARLEY_INTEROP_SECRET, undefined);
    assert.ok(environment.PATH);
  });

  it("takes what it says on standard error for no failure [STDIO-008] [STDIO-009]", () => {
    assert.deepEqual(channel.stderrLines, ["Starting default (STDIO) server..."]);
    assert.equal(channel.strayLineCount, 0);
  });

  it("leaves no process behind [STDIO-010] [PP-023]", async () => {
    const { pid } = channel;
    assert.ok(pid !== undefined && isRunning(pid));
    await recorded.session.close();
    assert.equal(isRunning(pid), false);
  });
});

describe("our client with server-everything over Streamable HTTP", () => {
  const atEnd = createAtEnd();
  const visits = createVisits();
  const fetch = createCuttingFetch();
  let peer: ListeningProcess;
  let recorded: RecordedSession;
  before(async () => {
    peer = await startListening(runPackage(everything, "streamableHttp"));
    atEnd(() => peer.stop());
    recorded = await openListening(`http://127.0.0.1:${peer.port}/mcp`, { fetch }, { elicitation: visits.elicitation });
    atEnd(() => recorded.session.close());
  });

  itExploresEverything(() => recorded);
  itFollowsEverything(() => recorded);
  itAnswersEverything(() => recorded, visits);

  it("resumes an answer whose connection was cut [HTTP-017] [HTTP-036]", async () => {
    const cutting = createCuttingFetch({ cutAfter: '"progress":1' });
    const { session } = await openRecorded(
      createHttpLink(`http://127.0.0.1:${peer.port}/mcp`, { fetch: cutting, standingStream: false }),
    );
    const steps: number[] = [];
    const args = { duration: 0.2, steps: 4 };
    const onProgress = ({ progress }: { progress: number }): void => void steps.push(progress);
    assert.match(textOf(await session.callTool("trigger-long-running-operation", args, { onProgress })), /completed/);
    assert.deepEqual(steps, [1, 2, 3, 4]);
    await session.close();
  });

  it("ends its session on the server [HTTP-047]", async () => {
    await recorded.session.close();
    const farewell = fetch.traffic.filter(({ method }) => method === "DELETE");
    assert.deepEqual(
      farewell.map(({ status }) => status),
      [200],
    );
  });
});

describe("our client with server-everything over HTTP+SSE", () => {
  const atEnd = createAtEnd();
  const visits = createVisits();
  let peer: ListeningProcess;
  let recorded: RecordedSession;
  before(async () => {
    peer = await startListening(runPackage(everything, "sse"));
    atEnd(() => peer.stop());
    const link = createCompatibleHttpLink(`http://127.0.0.1:${peer.port}/sse`);
    recorded = await openRecorded(link, { elicitation: visits.elicitation });
    atEnd(() => recorded.session.close());
    assert.equal(link.transport, "legacy");
  });

  itExploresEverything(() => recorded);
  itFollowsEverything(() => recorded);
  itAnswersEverything(() => recorded, visits);
});
