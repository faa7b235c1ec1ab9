import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createRig, FakeStream, handshake, type Rig, settled } from "../../../test/fixtures/http/fake-endpoint.ts";

/** Answers each GET with the next stream or status. */
function serve(rig: Rig, ...replies: (FakeStream | number | Response)[]): void {
  rig.endpoint.handlers.GET = () => {
    const reply = replies.shift() ?? 503;
    if (reply instanceof FakeStream) {
      return reply.response;
    }
    return typeof reply === "number" ? new Response(null, { status: reply }) : reply;
  };
}

const note = { jsonrpc: "2.0", method: "notifications/tools/list_changed" };
const opened = (rig: Rig): number => rig.endpoint.of("GET").length;

describe("StandingStream", () => {
  it("is opened after the handshake, and brings what belongs to no request [HTTP-025] [HTTP-026]", async () => {
    const rig = await createRig();
    const stream = new FakeStream();
    serve(rig, stream);
    await rig.link.request({ method: "initialize" });
    assert.equal(opened(rig), 0);
    await rig.link.notify({ method: "notifications/initialized" });
    await settled();
    assert.equal(rig.endpoint.of("GET")[0]?.headers.accept, "text/event-stream");
    stream.send(note);
    await settled();
    assert.deepEqual(
      rig.dispatched.map(({ message }) => message.method),
      [note.method],
    );
    assert.deepEqual(rig.states, ["open"]);
  });

  it("is not opened when told not to", async () => {
    const rig = await createRig({ standingStream: false });
    await handshake(rig);
    assert.equal(opened(rig), 0);
  });

  it("takes a 405 as normal: nothing is raised, tried again or told [HTTP-028]", async () => {
    const rig = await createRig();
    await handshake(rig);
    await rig.clock.advance(600_000);
    assert.deepEqual(await rig.link.request({ method: "tools/list" }), {});
    assert.equal(opened(rig), 1);
    assert.deepEqual([rig.states, rig.diagnostics], [[], []]);
  });

  it("is opened again after any end, with or without an event id [HTTP-031] [PP-005]", async () => {
    const rig = await createRig();
    const streams = [new FakeStream(), new FakeStream(), new FakeStream()] as const;
    serve(rig, ...streams);
    await handshake(rig);
    streams[0].send(note);
    streams[0].end();
    await settled();
    assert.deepEqual(rig.states, ["open", "reconnecting"]);
    await rig.clock.advance(500);
    streams[1].send(note, "e-7");
    streams[1].break();
    await settled();
    await rig.clock.advance(500);
    assert.deepEqual(rig.states, ["open", "reconnecting", "open", "reconnecting", "open"]);
    assert.deepEqual(
      rig.endpoint.of("GET").map(({ headers }) => headers["last-event-id"]),
      [undefined, undefined, "e-7"],
    );
  });

  it("waits longer from attempt to attempt, gives up, and says so to the caller [PP-005]", async () => {
    const causes: unknown[] = [];
    const rig = await createRig({
      reconnect: { initialDelayMs: 100, factor: 3, maxDelayMs: 500, maxAttempts: 3 },
      onStateChange: (state, cause) => causes.push([state, cause?.message]),
    });
    serve(rig, 503, 503, 503, 503);
    await handshake(rig);
    for (const delayMs of [100, 300, 500]) {
      const before = opened(rig);
      await rig.clock.advance(delayMs - 1);
      assert.equal(opened(rig), before);
      await rig.clock.advance(1);
      assert.equal(opened(rig), before + 1);
    }
    await rig.clock.advance(600_000);
    assert.equal(opened(rig), 4);
    assert.match(
      JSON.stringify(causes),
      /^\[\["reconnecting","GET of.*503"\],\["gave-up","the standing stream could not be opened in 3 attempts: .*503"\]\]$/,
    );
    assert.deepEqual(
      rig.diagnostics.map(({ code }) => code),
      ["MCP_D_STANDING_STREAM"],
    );
    assert.equal(rig.link.describe().standingStream, "gave-up");
    assert.deepEqual(await rig.link.request({ method: "tools/list" }), {});
  });

  it("forgets failures once a stream was healthy for a while, and only then [PP-005]", async () => {
    const rig = await createRig({
      reconnect: { initialDelayMs: 10, factor: 1, maxAttempts: 2, healthyAfterMs: 1_000 },
    });
    const healthy = [new FakeStream(), new FakeStream()] as const;
    serve(rig, 503, 503, healthy[0], 503, healthy[1], 503);
    await handshake(rig);
    await rig.clock.advance(20);
    assert.equal(opened(rig), 3);
    await rig.clock.advance(1_000);
    healthy[0].break();
    await settled();
    await rig.clock.advance(20);
    assert.equal(rig.link.describe().standingStream, "open");
    healthy[1].break();
    await settled();
    assert.equal(rig.link.describe().standingStream, "gave-up");
    assert.equal(opened(rig), 5);
  });

  it("comes back as often as a server likes that says when, waiting exactly that long [HTTP-019]", async () => {
    const rig = await createRig({ reconnect: { maxAttempts: 1 } });
    const polls = Array.from({ length: 6 }, () => new FakeStream());
    serve(rig, ...polls);
    for (const poll of polls) {
      poll.write("id: 1\nretry: 700\ndata:\n\n");
      poll.end();
    }
    await handshake(rig);
    await rig.clock.advance(699);
    assert.equal(opened(rig), 1);
    await rig.clock.advance(1 + 4 * 700);
    assert.equal(opened(rig), 6);
  });

  it("is tried again where the server still holds the old one, and touches nothing else [PP-007]", async () => {
    for (const status of [409, 400]) {
      const rig = await createRig();
      const first = new FakeStream();
      const second = new FakeStream();
      serve(rig, first, status, second);
      const call = new FakeStream();
      rig.endpoint.handlers["tools/call"] = () => call.response;
      await handshake(rig);
      const result = rig.link.request({ method: "tools/call" });
      await settled();
      first.send(note, "e-1");
      first.break();
      await settled();
      await rig.clock.advance(500);
      await rig.clock.advance(1_000);
      assert.deepEqual(rig.states, ["open", "reconnecting", "open"]);
      const resumedFrom = rig.endpoint.of("GET").map(({ headers }) => headers["last-event-id"]);
      assert.deepEqual(resumedFrom, [undefined, "e-1", status === 409 ? "e-1" : undefined]);
      call.send({ jsonrpc: "2.0", id: rig.endpoint.of("tools/call")[0]?.message?.id, result: { ok: true } });
      assert.deepEqual(await result, { ok: true });
    }
  });

  it("leaves the session alone when its own GET gets a 404 [PP-007]", async () => {
    const rig = await createRig();
    const first = new FakeStream();
    serve(rig, first, 404);
    await handshake(rig);
    first.end();
    await settled();
    await rig.clock.advance(500);
    assert.deepEqual(rig.states, ["open", "reconnecting", "gave-up"]);
    assert.deepEqual(await rig.link.request({ method: "tools/list" }), {});
    assert.equal(rig.link.describe().session, true);
  });

  it("gives up at once where trying again cannot help", async () => {
    for (const reply of [401, 403, new Response("<p>", { headers: { "content-type": "text/html" } })]) {
      const rig = await createRig();
      serve(rig, reply);
      await handshake(rig);
      await rig.clock.advance(600_000);
      assert.equal(opened(rig), 1);
      assert.deepEqual(rig.states, ["gave-up"]);
    }
  });

  it("waits as long as a refusal asks [PP-041]", async () => {
    const rig = await createRig();
    serve(rig, new Response(null, { status: 503, headers: { "retry-after": "7" } }), new FakeStream());
    await handshake(rig);
    await rig.clock.advance(6_999);
    assert.equal(opened(rig), 1);
    await rig.clock.advance(1);
    assert.deepEqual(rig.states, ["reconnecting", "open"]);
  });

  it("does not ask again for an event that is too large", async () => {
    const rig = await createRig({ maxMessageBytes: 300 });
    const first = new FakeStream();
    serve(rig, first, new FakeStream());
    await handshake(rig);
    first.send(note, "e-1");
    first.send({ ...note, params: { text: "x".repeat(400) } }, "e-2");
    await settled();
    await rig.clock.advance(500);
    assert.deepEqual(
      rig.endpoint.of("GET").map(({ headers }) => headers["last-event-id"]),
      [undefined, undefined],
    );
  });

  it("takes no answers, and reports them", async () => {
    const rig = await createRig();
    const stream = new FakeStream();
    serve(rig, stream);
    await handshake(rig);
    stream.send({ jsonrpc: "2.0", id: 0, result: {} });
    await settled();
    assert.deepEqual(
      rig.diagnostics.map(({ code }) => code),
      ["MCP_D_UNKNOWN_RESPONSE"],
    );
  });

  it("goes with its session, and a new one comes with the next [HTTP-046]", async () => {
    const rig = await createRig();
    const first = new FakeStream();
    serve(rig, first, new FakeStream());
    await handshake(rig);
    rig.endpoint.handlers["tools/call"] = () => new Response(null, { status: 404 });
    await assert.rejects(rig.link.request({ method: "tools/call" }));
    await settled();
    assert.equal(first.cancelled, true);
    assert.deepEqual(rig.states, ["open", "closed"]);
    await handshake(rig);
    assert.deepEqual(rig.states, ["open", "closed", "open"]);
  });
});
