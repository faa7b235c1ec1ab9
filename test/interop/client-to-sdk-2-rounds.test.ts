import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { createMcpHandler, inputRequired, McpServer } from "@modelcontextprotocol/server";
import { connect } from "parley-mcp/connect";
import { createHttpLink } from "parley-mcp/http/client";
import { z } from "zod";
import { createAtEnd } from "./fixtures/at-end.ts";
import { modelAnswer, openRecorded, type RecordedSession, textOf } from "./fixtures/recording-client.ts";
import { hostWeb } from "./fixtures/web-host.ts";

/** A server of SDK 2.x that asks in results, in two rounds. */
function createAskingServer(): McpServer {
  const server = new McpServer({ name: "official-2-asking", version: "1.2.3" });
  server.registerTool("interview", { inputSchema: z.object({}) }, (_args, { mcpReq }) => {
    const answers = (mcpReq.inputResponses ?? {}) as Record<string, Record<string, unknown>>;
    const state = mcpReq.requestState();
    if (state === undefined) {
      return inputRequired({
        inputRequests: {
          person: inputRequired.elicit({ message: "Who?", requestedSchema: z.object({ name: z.string() }) }),
          folders: inputRequired.listRoots(),
        },
        requestState: "round one",
      });
    }
    if (state === "round one") {
      return inputRequired({
        inputRequests: {
          model: inputRequired.createMessage({
            messages: [{ role: "user", content: { type: "text", text: "?" } }],
            maxTokens: 5,
          }),
        },
        requestState: JSON.stringify(answers),
      });
    }
    return { content: [{ type: "text", text: JSON.stringify({ ...JSON.parse(String(state)), ...answers }) }] };
  });
  return server;
}

describe("our client with a server of SDK 2.x that knows the newest revision only", () => {
  const atEnd = createAtEnd();
  let url: string;
  let recorded: RecordedSession;
  before(async () => {
    const handler = createMcpHandler(createAskingServer, { legacy: "reject" });
    const host = await hostWeb((request) => handler.fetch(request));
    atEnd(() => host.close());
    url = host.url;
    recorded = await openRecorded(createHttpLink(url));
    atEnd(() => recorded.session.close());
  });

  it("finds it, and answers what it asks in its results, round by round [M-MRTR-019] [M-MRTR-020] [M-MRTR-021] [M-MRTR-022]", async () => {
    assert.equal(recorded.session.server.revision, "2026-07-28");
    const { person, folders, model } = JSON.parse(textOf(await recorded.session.callTool("interview", {})));
    assert.deepEqual(person, { action: "accept", content: { name: "Ada" } });
    assert.equal(folders.roots[0].uri, "file:///workspace/one");
    assert.deepEqual(model, modelAnswer);
  });

  it("is told that nothing older is spoken there", async () => {
    await assert.rejects(connect(url, { revision: "2025-11-25" }), /2026-07-28|-32022|unsupported/i);
  });
});
