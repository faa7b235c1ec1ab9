import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { alone, EventReader, start } from "../../../test/fixtures/http/scripted-server.ts";
import { classifyMessage } from "../../jsonrpc/message.ts";
import { withEnvelope } from "../../protocol/envelope.ts";
import { toStandardHeaders } from "../standard-headers.ts";

const headerValue = fc.oneof(
  fc.string().map((text) => text.replaceAll(/[^\x20-\x7e]/g, "").trim()),
  fc.constantFrom(
    "*/*",
    "null",
    "application/json",
    "text/event-stream;q=0",
    "2025-11-25",
    "2026-07-28",
    "echo",
    "a.0.1",
    "x".repeat(2_000),
  ),
);

const headers = fc.dictionary(
  fc.constantFrom(
    "accept",
    "content-type",
    "content-encoding",
    "content-length",
    "host",
    "origin",
    "last-event-id",
    "mcp-method",
    "mcp-name",
    "mcp-protocol-version",
    "mcp-session-id",
    "access-control-request-method",
  ),
  headerValue,
  { maxKeys: 4 },
);

const enveloped = fc.record({
  _meta: fc.record(
    {
      "io.modelcontextprotocol/protocolVersion": fc.constantFrom("2026-07-28", "2025-11-25", 1),
      "io.modelcontextprotocol/clientCapabilities": fc.constantFrom({}, null),
    },
    { requiredKeys: [] },
  ),
});

const rpcLike = fc.record(
  {
    jsonrpc: fc.constantFrom("2.0", "1.0", 2),
    id: fc.oneof(fc.integer(), fc.string(), fc.constant(null), fc.double()),
    method: fc.oneof(
      fc.string(),
      fc.constantFrom("initialize", "echo", "subscriptions/listen", "notifications/cancelled"),
      fc.integer(),
    ),
    params: fc.oneof(
      fc.object(),
      fc.constant([]),
      fc.constant(null),
      fc.record({ requestId: fc.integer() }),
      enveloped,
    ),
    result: fc.oneof(fc.object(), fc.constant(1)),
    error: fc.oneof(fc.record({ code: fc.integer(), message: fc.string() }), fc.constant("no")),
  },
  { requiredKeys: [] },
);

/** A request with nothing wrong in it, of a revision with a handshake or of one without. */
const sound = fc.record({
  jsonrpc: fc.constant("2.0"),
  id: fc.oneof(fc.maxSafeInteger(), fc.string(), fc.constantFrom(0, "0", "")),
  method: fc.constantFrom("echo", "tools/list"),
  params: fc.oneof(
    fc.record({ text: fc.string() }),
    fc.object().map((params) => withEnvelope(params, { protocolVersion: alone, clientCapabilities: {} })),
  ),
});

const body = fc.oneof(
  { arbitrary: sound.map((value) => JSON.stringify(value)), weight: 3 },
  fc.string({ unit: "binary" }),
  fc.json(),
  rpcLike.map((value) => JSON.stringify(value)),
  fc.array(rpcLike, { maxLength: 4 }).map((value) => JSON.stringify(value)),
  fc.constantFrom("[".repeat(5_000), '{"a":'.repeat(5_000), '"\\ud800"', "{".padEnd(70_000)),
);

/** What a body says, message by message; nothing where it is no JSON. */
function messagesIn(text: string): unknown[] {
  try {
    return text === "" ? [] : [JSON.parse(text)].flat(1);
  } catch {
    return [];
  }
}

/** The ids of the answers in a response, read to its end. */
async function answeredIds(response: Response): Promise<unknown[]> {
  const isStream = response.headers.get("content-type") === "text/event-stream";
  const messages = isStream ? await new EventReader(response).rest() : messagesIn(await response.text());
  return messages.map((message) => (message as { id?: unknown }).id);
}

/** Each request has its own answer where the whole was taken; where it was refused, nobody else's. */
function checkAnswers(status: number, text: string, answered: readonly unknown[]): number {
  const inputs = messagesIn(text).map(classifyMessage);
  const requests = inputs.flatMap((input) => (input.kind === "request" ? [input.message.id] : []));
  const refused = inputs.flatMap((input) => (input.kind === "invalid" ? [input] : []));
  const owed: unknown[] = [...requests, ...refused.flatMap(({ meant, id }) => (meant === "response" ? [] : [id]))];
  const count = (ids: readonly unknown[], id: unknown): number => ids.filter((other) => other === id).length;
  assert.ok(status !== 202 || requests.length === 0, `a request was taken for what needs no answer: ${text}`);
  for (const id of status === 200 ? requests : []) {
    assert.equal(count(answered, id), count(owed, id), `answers to ${JSON.stringify(id)} in ${text}`);
  }
  const own = new Set<unknown>([undefined, null, ...owed, ...refused.map(({ id }) => id)]);
  assert.deepEqual(
    answered.filter((id) => !own.has(id)),
    [],
    `answers to nobody, to ${text}`,
  );
  return status === 200 ? requests.length : 0;
}

/** The headers that repeat what a request says, where the body is one. */
function repeatedHeaders(text: string): Record<string, string> {
  const classified = classifyMessage(messagesIn(text)[0]);
  const { method, params = {} } = classified.kind === "request" ? classified.message : { method: "" };
  const standard = toStandardHeaders(method, params);
  return method !== "" && standard.ok ? { ...standard.headers } : {};
}

const modes = [{}, { sessions: false }, { revisions: [alone] }].flatMap((mode) => [
  { ...mode, response: "json" as const },
  { ...mode, response: "stream" as const },
]);

describe("createHttpHandler, whatever comes", () => {
  for (const options of modes) {
    it(`answers every request with a sound status and its own id and leaves nothing open, with ${JSON.stringify(options)} [PP-020]`, async () => {
      const { client, handler, codes } = await start({}, { ...options, maxBodyBytes: 65_536 });
      let answers = 0;
      const method = fc.constantFrom("POST", "POST", "POST", "GET", "DELETE", "OPTIONS", "PUT");
      const manner = fc.constantFrom("due", "both", "given");
      await fc.assert(
        fc.asyncProperty(method, headers, body, manner, async (name, given, text, how) => {
          if (client.sessionId === undefined) {
            await client.initialize();
          }
          const plain =
            how !== "given"
              ? {
                  accept: "application/json, text/event-stream",
                  "content-type": "application/json",
                  ...repeatedHeaders(text),
                }
              : {};
          const canPost = name === "POST" || name === "PUT";
          const response = await client.send(
            name,
            { ...plain, ...(how !== "due" && given) },
            canPost ? text : undefined,
          );
          assert.ok(
            [200, 202, 204, 400, 403, 404, 405, 406, 410, 413, 415].includes(response.status),
            String(response.status),
          );
          if (name === "GET") {
            await response.body?.cancel();
          } else {
            const answered = await answeredIds(response);
            answers += name === "POST" ? checkAnswers(response.status, text, answered) : 0;
          }
          if (name === "DELETE" && response.status === 204) {
            client.sessionId = undefined;
          }
        }),
        { numRuns: 1_000 },
      );
      assert.ok(answers > 10, `${answers} requests were taken`);
      assert.deepEqual([handler.stats().streams, handler.stats().exchanges], [0, 0]);
      assert.ok(!codes().includes("MCP_D_HANDLER_FAULT"), "nothing failed inside");
    });
  }
});
