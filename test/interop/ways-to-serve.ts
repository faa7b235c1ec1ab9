// The ways in which our server meets a client of another SDK: over Streamable HTTP with sessions, always streaming,
// without sessions, and over stdio. Called by the test of each SDK; what is asked of each way is in server-contract.ts.

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { type HttpListener, type ListenOptions, listen } from "parley-mcp/http/node";
import { type AtEnd, createAtEnd } from "./fixtures/at-end.ts";
import type { ForeignClient, OpenForeignClient } from "./fixtures/foreign-client.ts";
import { createOwnServer } from "./fixtures/own-server.ts";
import { isRunning, runFixture } from "./fixtures/peer-process.ts";
import {
  type ClientTraits,
  itAsksQuestions,
  itReportsOnCalls,
  itServesFeatures,
  itTellsOfChanges,
} from "./server-contract.ts";
import { itSurvivesForeignHttp } from "./server-http-contract.ts";

/** Whose client it is. */
export interface ForeignSdk {
  /** As titles name it. */
  readonly name: string;
  readonly open: OpenForeignClient;
  readonly traits: ClientTraits;
}

/** Our server on a free port, until the tests are over. */
export async function startServer(atEnd: AtEnd, options: ListenOptions): Promise<HttpListener> {
  const listener = await listen(createOwnServer(), options);
  atEnd(() => listener.close());
  return listener;
}

/** Every way, for a client that shakes hands. */
export function describeWaysToServe(sdk: ForeignSdk): void {
  describeStreamableHttp(sdk);
  describeAlwaysStreaming(sdk);
  describeWithoutSessions(sdk);
  describeStdio(sdk);
}

function describeStreamableHttp({ name, open, traits }: ForeignSdk): void {
  describe(`our server over Streamable HTTP with a client of ${name}`, () => {
    const atEnd = createAtEnd();
    let listener: HttpListener;
    let client: ForeignClient;
    before(async () => {
      listener = await startServer(atEnd, { retryMs: 20 });
      client = await open({ url: listener.url });
      atEnd(() => client.close());
    });

    itServesFeatures(() => client, traits);
    itReportsOnCalls(() => client);
    itAsksQuestions(() => client);
    itTellsOfChanges(() => client);
    itSurvivesForeignHttp(open, () => listener.url);
  });
}

function describeAlwaysStreaming({ name, open, traits }: ForeignSdk): void {
  describe(`our server with a client of ${name}, always streaming`, () => {
    const atEnd = createAtEnd();
    let client: ForeignClient;
    before(async () => {
      const listener = await startServer(atEnd, { response: "stream" });
      client = await open({ url: listener.url });
      atEnd(() => client.close());
    });

    itServesFeatures(() => client, traits);
  });
}

function describeWithoutSessions({ name, open, traits }: ForeignSdk): void {
  describe(`our server without sessions, with a client of ${name}`, () => {
    const atEnd = createAtEnd();
    let client: ForeignClient;
    before(async () => {
      const listener = await startServer(atEnd, { sessions: false });
      client = await open({ url: listener.url });
      atEnd(() => client.close());
    });

    itServesFeatures(() => client, traits);
    itReportsOnCalls(() => client);

    it("announces no changes that it could not deliver, and says at once that it cannot ask [PP-043] [PP-047]", async () => {
      const { tools } = client.capabilities as { tools: { listChanged?: boolean } };
      assert.notEqual(tools.listChanged, true);
      const result = await client.callTool("ask-person");
      assert.equal(result.isError, true);
    });
  });
}

function describeStdio({ name, open, traits }: ForeignSdk): void {
  describe(`our server over stdio with a client of ${name}`, () => {
    const atEnd = createAtEnd();
    let client: ForeignClient;
    before(async () => {
      client = await open(runFixture("own-stdio.ts"));
      atEnd(() => client.close());
    });

    itServesFeatures(() => client, traits);
    itReportsOnCalls(() => client);
    itAsksQuestions(() => client);
    itTellsOfChanges(() => client);

    it("is gone when the client closes [STDIO-011] [PP-022]", async () => {
      const { pid } = client;
      assert.ok(pid !== undefined && isRunning(pid));
      await client.close();
      assert.equal(isRunning(pid), false);
    });
  });
}
