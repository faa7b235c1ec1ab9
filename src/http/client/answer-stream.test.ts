import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import {
  answer,
  createRig,
  FakeStream,
  handshake,
  type Rig,
  settled,
} from "../../../test/fixtures/http/fake-endpoint.ts";
import { ClosedError } from "../../base/error.ts";
import { SessionExpiredError } from "../../protocol/errors.ts";

const ask = { method: "tools/call" };

/** A call whose first stream is in the test's hands, and whose resumptions get the streams given. */
async function openCall(rig: Rig, ...resumed: FakeStream[]): Promise<{ stream: FakeStream; result: Promise<unknown> }> {
  const stream = new FakeStream();
  rig.endpoint.handlers["tools/call"] = () => stream.response;
  rig.endpoint.handlers.GET = ({ headers }) =>
    headers["last-event-id"] === undefined
      ? new Response(null, { status: 405 })
      : (resumed.shift()?.response ?? new Response(null, { status: 503 }));
  await handshake(rig);
  const result = rig.link.request(ask);
  result.catch(() => undefined);
  await settled();
  return { stream, result };
}

const resumptions = (rig: Rig): (string | undefined)[] =>
  rig.endpoint.of("GET").flatMap(({ headers }) => headers["last-event-id"] ?? []);

describe("followAnswer", () => {
  it("resumes by GET with the last id, and never sends the request again [HTTP-017] [HTTP-036] [HTTP-026]", async () => {
    const rig = await createRig();
    const second = new FakeStream();
    const third = new FakeStream();
    const { stream, result } = await openCall(rig, second, third);
    stream.write("id: a\ndata:\n\n");
    stream.end();
    await settled();
    await rig.clock.advance(500);
    second.send({ jsonrpc: "2.0", method: "notifications/message" }, "b");
    second.break();
    await settled();
    await rig.clock.advance(500);
    third.send(answer(rig.endpoint.of("tools/call")[0]?.message, { n: 1 }));
    assert.deepEqual(await result, { n: 1 });
    assert.deepEqual(resumptions(rig), ["a", "b"]);
    assert.ok(rig.endpoint.of("GET").every(({ headers }) => headers.accept === "text/event-stream"));
    assert.equal(rig.endpoint.of("tools/call").length, 1);
    assert.equal(rig.endpoint.of("notifications/cancelled").length, 0);
  });

  it("waits exactly as long as the server asks before it connects again [HTTP-019]", async () => {
    const rig = await createRig();
    const second = new FakeStream();
    const { stream } = await openCall(rig, second);
    stream.write("id: a\nretry: 1500\ndata:\n\n");
    stream.end();
    await settled();
    await rig.clock.advance(1_499);
    assert.deepEqual(resumptions(rig), []);
    await rig.clock.advance(1);
    assert.deepEqual(resumptions(rig), ["a"]);
    second.end();
    await settled();
    await rig.clock.advance(1_499);
    assert.deepEqual(resumptions(rig), ["a"]);
    await rig.clock.advance(1);
    assert.deepEqual(resumptions(rig), ["a", "a"]);
  });

  it("follows a server that lets its client poll for as long as it likes [HTTP-017]", async () => {
    const rig = await createRig({ reconnect: { maxAttempts: 2 } });
    const polls = Array.from({ length: 20 }, () => new FakeStream());
    const { stream, result } = await openCall(rig, ...polls);
    [stream, ...polls].forEach((each, index) => {
      each.write(`id: ${index}\nretry: 100\ndata:\n\n`);
      if (index === 20) {
        each.send(answer(rig.endpoint.of("tools/call")[0]?.message, {}));
      }
      each.end();
    });
    await settled();
    await rig.clock.advance(2_000);
    assert.deepEqual(await result, {});
    assert.equal(resumptions(rig).length, 20);
  });

  it("says at once that the connection broke where there is nothing to resume from [PP-005]", async () => {
    for (const finish of ["end", "break"] as const) {
      const rig = await createRig();
      const { stream, result } = await openCall(rig);
      stream.send({ jsonrpc: "2.0", method: "notifications/message" });
      stream[finish]();
      await assert.rejects(result, {
        code: "MCP_CLOSED",
        message:
          /^tools\/call: the connection broke before the answer came, without an event id to resume from; it was not sent again/,
      });
      assert.deepEqual(resumptions(rig), []);
    }
  });

  it("tells of an unreadable event where the answer should have been", async () => {
    const rig = await createRig();
    const { stream, result } = await openCall(rig);
    stream.write("data: {nonsense\n\n");
    stream.end();
    await assert.rejects(result, { message: /expected JSON/ });
    assert.deepEqual(
      rig.diagnostics.map(({ code }) => code),
      ["MCP_D_INVALID_MESSAGE"],
    );
  });

  it("gives up after so many attempts in a row, waiting longer each time, and says what happened", async () => {
    const rig = await createRig({ reconnect: { maxAttempts: 3, initialDelayMs: 100, factor: 2 } });
    const { stream, result } = await openCall(rig);
    stream.write("id: a\ndata:\n\n");
    stream.end();
    await settled();
    await rig.clock.advance(100);
    assert.equal(resumptions(rig).length, 1);
    await rig.clock.advance(199);
    assert.equal(resumptions(rig).length, 1);
    await rig.clock.advance(1);
    assert.equal(resumptions(rig).length, 2);
    await rig.clock.advance(400);
    await assert.rejects(result, (error: Error) => {
      assert.ok(error instanceof ClosedError);
      assert.match(error.message, /could not be resumed in 3 attempts: GET to resume tools\/call .* got 503/);
      return true;
    });
    assert.equal(resumptions(rig).length, 3);
    assert.equal(rig.clock.pendingTimers, 0);
  });

  it("fails at once where the server does not let streams be resumed", async () => {
    const rig = await createRig();
    const { stream, result } = await openCall(rig);
    rig.endpoint.handlers.GET = () => new Response(null, { status: 405 });
    stream.write("id: a\ndata:\n\n");
    stream.end();
    await settled();
    await rig.clock.advance(500);
    await assert.rejects(result, { code: "MCP_HTTP", status: 405 });
  });

  it("takes a 404 to the resumption as the end of the session [HTTP-046]", async () => {
    const rig = await createRig();
    const { stream, result } = await openCall(rig);
    rig.endpoint.handlers.GET = () => new Response(null, { status: 404 });
    stream.write("id: a\ndata:\n\n");
    stream.end();
    await settled();
    await rig.clock.advance(500);
    await assert.rejects(result, SessionExpiredError);
  });

  it("keeps the wait before a resumption abortable, and cancels the request then [HTTP-024]", async () => {
    const rig = await createRig();
    const stream = new FakeStream();
    rig.endpoint.handlers["tools/call"] = () => stream.response;
    const controller = new AbortController();
    const result = assert.rejects(rig.link.request(ask, { signal: controller.signal }), { name: "AbortError" });
    await settled();
    stream.write("id: a\nretry: 60000\ndata:\n\n");
    stream.end();
    await settled();
    controller.abort();
    await result;
    await settled();
    assert.equal(rig.endpoint.of("notifications/cancelled").length, 1);
    assert.equal(rig.clock.pendingTimers, 0);
  });

  it("sends an id back as the bytes that it came as", async () => {
    const rig = await createRig();
    const { stream } = await openCall(rig);
    stream.write("id: \u20ac1\ndata:\n\n");
    stream.end();
    await settled();
    await rig.clock.advance(500);
    assert.deepEqual(resumptions(rig), ["\u00e2\u0082\u00ac1"]);
  });

  it("settles every call whatever the stream brings, and reports instead of throwing", async () => {
    const text = fc.oneof(
      fc.string({ maxLength: 40 }),
      fc.constantFrom(
        "data: ",
        "id: 1",
        "retry: 5",
        "\n",
        "\n\n",
        "event: x\n",
        'data: {"jsonrpc":"2.0","id":0,"result":{}}\n\n',
      ),
      fc.json().map((value) => `data: ${value}\n\n`),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(text, { maxLength: 12 }), fc.boolean(), async (pieces, orderly) => {
        const rig = await createRig({ standingStream: false, reconnect: { maxAttempts: 1, initialDelayMs: 1 } });
        rig.endpoint.handlers.GET = () => new Response(null, { status: 405 });
        const stream = new FakeStream();
        rig.endpoint.handlers["tools/call"] = () => stream.response;
        const outcome = rig.link.request(ask).then(
          () => "answered",
          () => "failed",
        );
        await settled();
        for (const piece of pieces) {
          stream.write(piece);
        }
        stream[orderly ? "end" : "break"]();
        await settled();
        await rig.clock.advance(1_000);
        assert.ok(["answered", "failed"].includes(await outcome));
        assert.equal(rig.clock.pendingTimers, 0);
      }),
      { numRuns: 60 },
    );
  });
});
