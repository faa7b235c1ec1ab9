import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { type HttpListener, type ListenOptions, listen } from "parley-mcp/http/node";
import { type AtEnd, createAtEnd } from "./fixtures/at-end.ts";
import type { ForeignClient } from "./fixtures/foreign-client.ts";
import { openOfficial1Client } from "./fixtures/official-1-client.ts";
import { createOwnServer } from "./fixtures/own-server.ts";
import { isRunning, runFixture } from "./fixtures/peer-process.ts";
import { itAsksQuestions, itReportsOnCalls, itServesFeatures, itTellsOfChanges } from "./server-contract.ts";
import { itSurvivesForeignHttp } from "./server-http-contract.ts";

const traits = { resourceNotFound: -32_002 } as const;

async function startServer(atEnd: AtEnd, options: ListenOptions): Promise<HttpListener> {
  const listener = await listen(createOwnServer(), options);
  atEnd(() => listener.close());
  return listener;
}

describe("our server over Streamable HTTP with a client of SDK 1.x", () => {
  const atEnd = createAtEnd();
  let listener: HttpListener;
  let client: ForeignClient;
  before(async () => {
    listener = await startServer(atEnd, { retryMs: 20 });
    client = await openOfficial1Client({ url: listener.url });
    atEnd(() => client.close());
  });

  itServesFeatures(() => client, traits);
  itReportsOnCalls(() => client);
  itAsksQuestions(() => client);
  itTellsOfChanges(() => client);
  itSurvivesForeignHttp(openOfficial1Client, () => listener.url);
});

describe("our server with a client of SDK 1.x, always streaming", () => {
  const atEnd = createAtEnd();
  let client: ForeignClient;
  before(async () => {
    const listener = await startServer(atEnd, { response: "stream" });
    client = await openOfficial1Client({ url: listener.url });
    atEnd(() => client.close());
  });

  itServesFeatures(() => client, traits);
});

describe("our server without sessions, with a client of SDK 1.x", () => {
  const atEnd = createAtEnd();
  let client: ForeignClient;
  before(async () => {
    const listener = await startServer(atEnd, { sessions: false });
    client = await openOfficial1Client({ url: listener.url });
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

describe("our server over stdio with a client of SDK 1.x", () => {
  const atEnd = createAtEnd();
  let client: ForeignClient;
  before(async () => {
    client = await openOfficial1Client(runFixture("own-stdio.ts"));
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
