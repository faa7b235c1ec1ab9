import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeEndpoint, FakeStream } from "../../../test/fixtures/http/fake-endpoint.ts";
import { HttpError } from "../../base/error.ts";
import { Endpoint } from "./endpoint.ts";
import { askedDelayMs, isResumable, type OpenedStream, openStream } from "./open-stream.ts";
import { resolveHttpOptions } from "./options.ts";
import { HttpSession } from "./session.ts";

async function open(
  reply: Response | Error,
  lastEventId?: string,
): Promise<OpenedStream & { sent: string | undefined }> {
  const fake = new FakeEndpoint();
  fake.handlers.GET = async () => {
    if (reply instanceof Error) {
      throw reply;
    }
    return reply;
  };
  const endpoint = new Endpoint(resolveHttpOptions("https://server.test/mcp", { fetch: fake.fetch }));
  const session = new HttpSession();
  const signal = new AbortController().signal;
  const opened = await openStream({ endpoint, session, what: "GET", lastEventId, endsSession: true, signal });
  return { ...opened, sent: fake.received[0]?.headers["last-event-id"] };
}

describe("openStream", () => {
  it("tells what may mend by itself from what will not [PP-007]", async () => {
    for (const status of [408, 409, 425, 429, 500, 502, 503, 504]) {
      const opened = await open(new Response(null, { status }));
      assert.deepEqual([opened.ok, !opened.ok && opened.transient], [false, true], `status ${status}`);
    }
    for (const status of [400, 401, 403, 404, 405, 410]) {
      const opened = await open(new Response(null, { status }));
      assert.deepEqual([opened.ok, !opened.ok && opened.transient], [false, false], `status ${status}`);
    }
    const lost = await open(new TypeError("fetch failed"));
    assert.deepEqual([lost.ok, !lost.ok && lost.transient], [false, true]);
    const page = await open(new Response("<p>", { headers: { "content-type": "text/html" } }));
    assert.deepEqual([page.ok, !page.ok && page.transient], [false, false]);
  });

  it("sends the id that it resumes from, and none where there is none [HTTP-036]", async () => {
    assert.equal((await open(new FakeStream().response, "e-1")).sent, "e-1");
    assert.equal((await open(new FakeStream().response)).sent, undefined);
  });
});

describe("isResumable", () => {
  it("takes ids that a header can carry, whatever their alphabet", () => {
    assert.equal(isResumable("a-1"), true);
    assert.equal(isResumable("\u20ac"), true);
    assert.equal(isResumable("a\u0001"), false);
    assert.equal(isResumable(undefined), false);
  });
});

describe("askedDelayMs", () => {
  it("is the longer of what the stream and the refusal ask for", async () => {
    const fault = new HttpError("busy", { status: 503, retryAfterMs: 2_000 });
    assert.equal(askedDelayMs(undefined, undefined), undefined);
    assert.equal(askedDelayMs(500, undefined), 500);
    assert.equal(askedDelayMs(undefined, fault), 2_000);
    assert.equal(askedDelayMs(500, fault), 2_000);
    assert.equal(askedDelayMs(5_000, fault), 5_000);
  });
});
