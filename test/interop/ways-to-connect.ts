// The ways in which our client meets a server of another SDK with a handshake: over Streamable HTTP with sessions, with
// answers in JSON, and over stdio. Called by the test of each SDK; what is asked of each way is in client-contract.ts.

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { isMcpError } from "parley-mcp";
import type { ConnectOptions } from "parley-mcp/client";
import { createStdioChannel, type StdioChannel } from "parley-mcp/stdio/client";
import {
  itAnswersQuestions,
  itFollowsCalls,
  itHearsOfChanges,
  itUsesFeatures,
  type PeerTraits,
} from "./client-contract.ts";
import { itSurvivesHttp } from "./client-http-contract.ts";
import { createAtEnd } from "./fixtures/at-end.ts";
import type { HostingMode, PeerHost } from "./fixtures/official-1-http.ts";
import { isRunning, runFixture } from "./fixtures/peer-process.ts";
import { openListening, openRecorded, type RecordedSession } from "./fixtures/recording-client.ts";

/** Whose server it is. */
export interface PeerSdk {
  /** As titles name it. */
  readonly name: string;
  readonly host: (mode: HostingMode) => Promise<PeerHost>;
  /** The program of the fixtures that serves over stdio. */
  readonly program: string;
  /** How to come to a handshake over stdio. */
  readonly overStdio: ConnectOptions;
  readonly traits: PeerTraits;
}

/** Every way that both lines of the official SDK share. */
export function describeWaysToConnect(sdk: PeerSdk): void {
  describeSessions(sdk);
  describeJson(sdk);
  describeStdio(sdk);
}

function describeSessions({ name, host: startHost, traits }: PeerSdk): void {
  describe(`our client with a server of ${name} over Streamable HTTP with sessions`, () => {
    const atEnd = createAtEnd();
    let host: PeerHost;
    let recorded: RecordedSession;
    before(async () => {
      host = await startHost("sessions");
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
}

function describeJson({ name, host: startHost, traits }: PeerSdk): void {
  describe(`our client with a server of ${name} that answers in JSON`, () => {
    const atEnd = createAtEnd();
    let recorded: RecordedSession;
    before(async () => {
      const host = await startHost("json");
      atEnd(() => host.close());
      recorded = await openListening(host.url);
      atEnd(() => recorded.session.close());
    });

    itUsesFeatures(() => recorded, traits);
  });
}

function describeStdio({ name, program, overStdio, traits }: PeerSdk): void {
  describe(`our client with a server of ${name} over stdio`, () => {
    const atEnd = createAtEnd();
    let channel: StdioChannel;
    let recorded: RecordedSession;
    before(async () => {
      channel = createStdioChannel(runFixture(program));
      recorded = await openRecorded(channel, {}, overStdio);
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
}
