import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { settled } from "../../../test/fixtures/http/fake-endpoint.ts";
import { OldServer, Recorder, streamUrl } from "../../../test/fixtures/http/old-server.ts";
import type { Diagnostic } from "../../base/diagnostic.ts";
import { ClosedError, HttpError, PeerError, TimeoutError, UsageError } from "../../base/error.ts";
import type { Channel } from "../../jsonrpc/link.ts";
import { Peer } from "../../jsonrpc/peer.ts";
import { mcpCancellation } from "../../protocol/cancellation.ts";
import { createFakeClock } from "../../test/clock.ts";
import { createLegacyHttpChannel, type LegacyHttpClientOptions } from "./client.ts";

const ping = { jsonrpc: "2.0", id: 1, method: "ping" } as const;
const note = { jsonrpc: "2.0", method: "notifications/progress" } as const;

function createRig(options: LegacyHttpClientOptions = {}) {
  const server = new OldServer();
  const clock = createFakeClock(1_000_000);
  const diagnostics: Diagnostic[] = [];
  const channel = createLegacyHttpChannel(streamUrl, {
    fetch: server.fetch,
    clock,
    onDiagnostic: (diagnostic) => diagnostics.push(diagnostic),
    ...options,
  });
  return { server, clock, diagnostics, channel, recorder: new Recorder() };
}

async function openPeer(channel: Channel): Promise<Peer<undefined>> {
  const peer = new Peer<undefined>(channel, { createContext: () => undefined, cancellation: mcpCancellation });
  await peer.start({ dispatch: async () => undefined });
  return peer;
}

describe("LegacyClientChannel", () => {
  it("waits for the endpoint event and POSTs every message there, one in each body [O24-004] [O24-014]", async () => {
    const { server, channel, recorder } = createRig();
    server.announced = undefined;
    let isOpen = false;
    const opening = channel.open(recorder).then(() => {
      isOpen = true;
    });
    await settled();
    assert.equal(isOpen, false);
    assert.throws(() => channel.send(ping), ClosedError);
    server.stream.write("event: endpoint\ndata: /messages?sessionId=7\n\n");
    await opening;
    await Promise.all([channel.send(ping), channel.send(note)]);
    const [get, ...posts] = server.received;
    assert.deepEqual([get?.method, get?.url], ["GET", streamUrl]);
    assert.deepEqual(
      posts.map(({ method, url, message }) => [method, url, message]),
      [
        ["POST", "https://old.test/messages?sessionId=7", ping],
        ["POST", "https://old.test/messages?sessionId=7", note],
      ],
    );
  });

  it("gives up when no endpoint event comes in time [O24-004]", async () => {
    const { server, clock, channel, recorder } = createRig({ endpointTimeoutMs: 5_000 });
    server.announced = undefined;
    const opening = channel.open(recorder);
    opening.catch(() => undefined);
    await settled();
    await clock.advance(5_000);
    await assert.rejects(opening, (error) => error instanceof TimeoutError && error.limit === "connect");
    assert.equal(server.stream.cancelled, true);
    assert.equal(clock.pendingTimers, 0);
    assert.equal(recorder.ends.length, 1);
  });

  const targets = {
    "/m?s=1": "https://old.test/m?s=1",
    "m?s=1": "https://old.test/api/m?s=1",
    "?s=1": "https://old.test/api/sse?s=1",
    "https://old.test/other/m?s=1#part": "https://old.test/other/m?s=1",
  };
  for (const [announced, target] of Object.entries(targets)) {
    it(`takes ${announced} for ${target} [O24-005]`, async () => {
      const { server, channel, recorder } = createRig();
      server.announced = announced;
      await channel.open(recorder);
      await channel.send(ping);
      assert.equal(server.received.at(-1)?.url, target);
    });
  }

  for (const announced of [
    "https://evil.test/messages",
    "//evil.test/messages",
    "http://old.test/messages",
    "https://old.test:444/messages",
    "https://user:word@old.test/messages",
    "javascript:alert(1)",
    "https://",
  ]) {
    it(`refuses the endpoint ${announced} and sends nothing [O24-006]`, async () => {
      const { server, channel, recorder } = createRig({ headers: { authorization: "Bearer secret-token" } });
      server.announced = announced;
      await assert.rejects(channel.open(recorder), PeerError);
      assert.throws(() => channel.send(ping), ClosedError);
      await settled();
      assert.deepEqual(server.log, ["GET"]);
      assert.equal(server.stream.cancelled, true);
    });
  }

  it("does not follow a second endpoint event, and tells of it [O24-006]", async () => {
    const { server, channel, recorder, diagnostics } = createRig();
    await channel.open(recorder);
    server.stream.write("event: endpoint\ndata: /elsewhere\n\nevent: ping\ndata: x\n\nevent: ping\ndata: x\n\n");
    await settled();
    await channel.send(ping);
    assert.equal(server.received.at(-1)?.url, "https://old.test/messages?sessionId=1");
    assert.deepEqual(
      diagnostics.map(({ code }) => code),
      ["MCP_D_EVENT_TYPE", "MCP_D_EVENT_TYPE"],
    );
  });

  it("refuses a stream that begins with a message", async () => {
    const { server, channel, recorder } = createRig();
    server.announced = undefined;
    const opening = channel.open(recorder);
    opening.catch(() => undefined);
    await settled();
    server.send(ping);
    await assert.rejects(opening, /begin with endpoint/);
  });

  it("takes any status from 200 to 299 for acceptance, and fails the message with any other [O24-007]", async () => {
    const { server, channel } = createRig();
    const peer = await openPeer(channel);
    for (const status of [200, 201, 202, 204]) {
      server.accept = (received) => {
        server.answer(received);
        return new Response(status === 204 ? null : "whatever", { status });
      };
      assert.deepEqual(await peer.request({ method: "ping" }), { echo: {} });
    }
    server.accept = () => new Response("no session", { status: 404 });
    await assert.rejects(
      peer.request({ method: "ping" }),
      (error) => error instanceof HttpError && error.status === 404 && /no session/.test(error.message),
    );
  });

  it("answers an array with -32600 and takes no message out of it [O24-014]", async () => {
    const { server, channel } = createRig();
    const peer = await openPeer(channel);
    server.send([ping]);
    await settled();
    const [post] = server.received.slice(1);
    assert.deepEqual((post?.message?.error as { code?: number } | undefined)?.code, -32600);
    assert.equal(server.received.length, 2);
    await peer.close();
  });

  it("keeps messages in the order they were sent, whatever the server takes for each", async () => {
    const { server, channel, recorder } = createRig();
    const gates: (() => void)[] = [];
    server.accept = () => new Promise((resolve) => gates.push(() => resolve(new Response(null, { status: 202 }))));
    await channel.open(recorder);
    const sent = [channel.send(ping), channel.send(note)];
    await settled();
    assert.deepEqual(server.log, ["GET", "POST ping"]);
    gates[0]?.();
    await settled();
    assert.deepEqual(server.log, ["GET", "POST ping", "POST notifications/progress"]);
    gates[1]?.();
    await Promise.all(sent);
  });

  it("delivers messages, and passes on what is no JSON without ending", async () => {
    const { server, channel, recorder } = createRig();
    await channel.open(recorder);
    server.stream.write("event: message\ndata: {broken\n\n");
    server.send(ping);
    server.stream.write('data: {"jsonrpc":"2.0",\ndata: "method":"x"}\n\n');
    await settled();
    assert.deepEqual(recorder.messages, [ping, { jsonrpc: "2.0", method: "x" }]);
    assert.equal(recorder.problems.length, 1);
    assert.deepEqual(recorder.ends, []);
  });

  it("tells whose answer was over the limit, and goes on [PP-026]", async () => {
    const { server, channel, recorder } = createRig({ maxMessageBytes: 100 });
    await channel.open(recorder);
    server.send({ jsonrpc: "2.0", id: 7, result: { text: "x".repeat(100) } });
    server.send({ jsonrpc: "2.0", id: 8, result: {} });
    await settled();
    assert.match(recorder.problems.join(), /too large: expected at most 100 bytes/);
    assert.deepEqual(recorder.messages, [{ jsonrpc: "2.0", id: 8, result: {} }]);
    assert.deepEqual(recorder.ends, []);
  });

  it("closes for good: stream and POSTs are let go, nothing arrives, no timer is left", async () => {
    const { server, clock, channel, recorder } = createRig();
    server.accept = () => new Promise(() => undefined);
    await channel.open(recorder);
    const sent = channel.send(ping);
    await settled();
    await channel.close();
    await channel.close();
    await assert.rejects(Promise.resolve(sent), ClosedError);
    assert.throws(() => channel.send(ping), ClosedError);
    await settled();
    assert.equal(server.stream.cancelled, true);
    assert.equal(server.received.at(-1)?.signal.aborted, true);
    assert.equal(clock.pendingTimers, 0);
    assert.deepEqual(recorder.ends, [undefined]);
  });

  it("can be closed while it waits for the endpoint event", async () => {
    const { server, clock, channel, recorder } = createRig();
    server.announced = undefined;
    const opening = channel.open(recorder);
    opening.catch(() => undefined);
    await settled();
    await channel.close();
    await assert.rejects(opening, ClosedError);
    assert.equal(clock.pendingTimers, 0);
  });

  it("fails to open with the status of a refusal, and on what is no event stream", async () => {
    const { server, channel, recorder } = createRig();
    server.open = () => new Response("who are you?", { status: 401 });
    await assert.rejects(channel.open(recorder), (error) => error instanceof HttpError && error.status === 401);
    const other = createRig();
    other.server.open = () => new Response("<html>", { headers: { "content-type": "text/html" } });
    await assert.rejects(other.channel.open(other.recorder), PeerError);
    assert.equal(other.recorder.ends.length, 1);
  });

  it("refuses to be opened twice", async () => {
    const { channel, recorder } = createRig();
    await channel.open(recorder);
    await assert.rejects(channel.open(recorder), UsageError);
  });
});
