import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { encodeBase64 } from "../../base/base64.ts";
import { PeerError, TimeoutError, UsageError } from "../../base/error.ts";
import type { Clock } from "../../base/timer.ts";
import { type FetchIconOptions, fetchIcon } from "./icons.ts";

const serverUrl = "https://example.com/mcp";
const src = "https://example.com/icon.png";

function png(width = 1, height = 1, frames = 0): Uint8Array<ArrayBuffer> {
  const chunk = (type: string, ...data: number[]): number[] => [
    0,
    0,
    0,
    data.length,
    ...Buffer.from(type),
    ...data,
    0,
    0,
    0,
    0,
  ];
  const size = [width >> 8, width & 255, 0, 0, height >> 8, height & 255];
  const animation = Array.from({ length: frames }, () => chunk("fcTL")).flat();
  const header = chunk("IHDR", 0, 0, ...size, 8, 6, 0, 0, 0);
  return Uint8Array.from([0x89, ...Buffer.from("PNG\r\n\x1a\n"), ...header, ...animation, ...chunk("IEND")]);
}

const dataUri = (bytes: Uint8Array, type = "image/png"): string => `data:${type};base64,${encodeBase64(bytes)}`;

interface Recorded {
  readonly fetch: typeof fetch;
  readonly requests: { url: string; init: RequestInit }[];
}

/** A fetch that answers in order and notes what it was asked. */
function recordingFetch(...answers: readonly (Response | Error)[]): Recorded {
  const requests: { url: string; init: RequestInit }[] = [];
  const left = [...answers];
  return {
    requests,
    fetch: async (input, init = {}) => {
      requests.push({ url: String(input), init });
      const answer = left.shift() ?? new Error("no more answers");
      if (answer instanceof Error) {
        throw answer;
      }
      return answer;
    },
  };
}

const image = (bytes: Uint8Array<ArrayBuffer> = png(), type = "image/png"): Response =>
  new Response(bytes, { headers: { "content-type": type } });

const redirect = (location: string): Response => new Response(null, { status: 302, headers: { location } });

async function refusal(icon: { src: string; mimeType?: string }, options: FetchIconOptions): Promise<string> {
  const error = await fetchIcon(icon, { serverUrl, ...options }).then(
    () => assert.fail(`${icon.src.slice(0, 80)} was accepted`),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof PeerError, String(error));
  return error.message;
}

describe("fetchIcon", () => {
  it("accepts https and base64 data sources [ICON-005]", async () => {
    const { fetch } = recordingFetch(image(png(3, 4)));
    const fetched = await fetchIcon({ src }, { serverUrl, fetch });
    assert.deepEqual([fetched.mimeType, fetched.width, fetched.height, fetched.frames], ["image/png", 3, 4, 1]);
    assert.deepEqual(fetched.bytes, png(3, 4));
    const inline = await fetchIcon({ src: dataUri(png(5, 6)) });
    assert.deepEqual([inline.width, inline.height], [5, 6]);
  });

  it("refuses plain http unless it was opted in [ICON-005]", async () => {
    const { fetch, requests } = recordingFetch(image());
    const local = { serverUrl: "http://localhost:3000/mcp", fetch };
    assert.match(await refusal({ src: "http://localhost:3000/i.png" }, local), /https: or data:; this one names http:/);
    assert.equal(requests.length, 0);
    await fetchIcon({ src: "http://localhost:3000/i.png" }, { ...local, allowHttp: true });
    assert.equal(requests.length, 1);
  });

  it("refuses data sources that are not base64 [ICON-005]", async () => {
    for (const source of [
      "data:image/svg+xml,<svg/>",
      "data:image/png;base64,A",
      "data:image/png;base64,AA A",
      "data:",
    ]) {
      assert.match(await refusal({ src: source }, {}), /data: icon is/, source);
    }
  });

  it("refuses every other scheme without fetching [ICON-006]", async () => {
    const { fetch, requests } = recordingFetch();
    for (const source of [
      "javascript:alert(1)",
      "file:///etc/passwd",
      "ftp://example.com/i",
      "ws://example.com/i",
      "app://i",
    ]) {
      assert.match(await refusal({ src: source }, { fetch, allowHttp: true }), /An icon comes from/, source);
    }
    assert.match(await refusal({ src: "icon.png" }, { fetch }), /absolute URI/);
    assert.equal(requests.length, 0);
  });

  it("refuses redirects to such schemes without following them [ICON-006]", async () => {
    for (const target of [
      "javascript:alert(1)",
      "file:///etc/passwd",
      "ftp://example.com/i",
      "data:image/png;base64,AA==",
    ]) {
      const { fetch, requests } = recordingFetch(redirect(target));
      assert.match(await refusal({ src }, { fetch, allowHttp: true }), /redirected only within/, target);
      assert.equal(requests.length, 1);
    }
  });

  it("refuses redirects that change scheme or leave the origin, trusted or not [ICON-007]", async () => {
    const allowedOrigins = ["https://cdn.example.com"];
    for (const target of [
      "http://example.com/i",
      "https://evil.test/i",
      "https://cdn.example.com/i",
      "https://example.com:8443/i",
      "//evil.test/i",
    ]) {
      const { fetch, requests } = recordingFetch(redirect(target));
      assert.match(
        await refusal({ src }, { fetch, allowHttp: true, allowedOrigins }),
        /redirected only within/,
        target,
      );
      assert.equal(requests.length, 1);
    }
  });

  it("follows a few redirects within the origin, and no endless ones [ICON-007]", async () => {
    const { fetch, requests } = recordingFetch(redirect("/other.png"), image());
    await fetchIcon({ src }, { serverUrl, fetch });
    assert.equal(requests[1]?.url, "https://example.com/other.png");
    assert.equal(requests[1]?.init.redirect, "manual");
    const endless = recordingFetch(...Array.from({ length: 9 }, () => redirect("/again")));
    assert.match(await refusal({ src }, { fetch: endless.fetch }), /3 times at most/);
    assert.equal(endless.requests.length, 4);
  });

  it("sends no cookies, no authorization and no referrer [ICON-008]", async () => {
    const { fetch, requests } = recordingFetch(redirect("/other.png"), image());
    await fetchIcon({ src }, { serverUrl, fetch });
    for (const { init } of requests) {
      assert.equal(init.credentials, "omit");
      assert.equal(init.referrerPolicy, "no-referrer");
      assert.deepEqual([...new Headers(init.headers).keys()], ["accept"]);
    }
    assert.match(await refusal({ src: "https://me:secret@example.com/i" }, { fetch }), /no user name or password/);
    assert.equal(requests.length, 2);
  });

  it("refuses a foreign origin unless it is allowed [ICON-009]", async () => {
    const foreign = "https://cdn.example.com/i.png";
    const { fetch, requests } = recordingFetch(image());
    assert.match(await refusal({ src: foreign }, { fetch }), /this one names https:\/\/cdn\.example\.com/);
    await assert.rejects(fetchIcon({ src: foreign }, { fetch }), /none is known/);
    assert.equal(requests.length, 0);
    await fetchIcon({ src: foreign }, { serverUrl, fetch, allowedOrigins: ["https://cdn.example.com"] });
    assert.equal(requests.length, 1);
  });

  it("stops reading an endless body at the limit [ICON-010]", async () => {
    let pulled = 0;
    let cancelled = false;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulled += 1;
        controller.enqueue(new Uint8Array(1000));
      },
      cancel() {
        cancelled = true;
      },
    });
    const { fetch } = recordingFetch(new Response(body));
    assert.match(await refusal({ src }, { fetch, maxBytes: 10_000 }), /10000 bytes at most/);
    assert.ok(pulled < 20);
    assert.equal(cancelled, true);
  });

  it("refuses an announced length above the limit, and data sources above it [ICON-010]", async () => {
    const answer = new Response(png(), { headers: { "content-length": "104857600" } });
    assert.match(await refusal({ src }, { fetch: recordingFetch(answer).fetch }), /bytes at most/);
    assert.match(await refusal({ src: dataUri(new Uint8Array(200)) }, { maxBytes: 100 }), /100 bytes at most/);
    assert.match(await refusal({ src: dataUri(new Uint8Array(101)) }, { maxBytes: 100 }), /100 bytes at most/);
  });

  it("refuses large dimensions and many frames [ICON-010]", async () => {
    assert.match(await refusal({ src: dataUri(png(4000, 1)) }, {}), /2048 pixels a side at most; this one has 4000x1/);
    assert.match(await refusal({ src: dataUri(png(1, 9)) }, { maxDimension: 8 }), /8 pixels a side/);
    assert.match(await refusal({ src: dataUri(png(1, 1, 61)) }, {}), /60 frames at most; this one has 61/);
  });

  it("refuses bytes that are not what they are declared as [ICON-011]", async () => {
    const html = new TextEncoder().encode("<html><script>x</script></html>");
    assert.match(await refusal({ src }, { fetch: recordingFetch(image(html)).fetch }), /no PNG, JPEG/);
    assert.match(
      await refusal({ src }, { fetch: recordingFetch(image(png(), "text/html")).fetch }),
      /declared text\/html/,
    );
    assert.match(
      await refusal({ src: dataUri(png()), mimeType: "image/jpeg" }, {}),
      /declared image\/jpeg.*image\/png/,
    );
    assert.match(await refusal({ src: dataUri(png(), "image/gif") }, {}), /declared image\/gif/);
  });

  it("takes a missing or generic type as none, and jpg as jpeg [ICON-011] [ICON-004]", async () => {
    const { fetch } = recordingFetch(image(png(), "application/octet-stream"));
    assert.equal((await fetchIcon({ src, mimeType: "image/png" }, { serverUrl, fetch })).mimeType, "image/png");
    const jpeg = Uint8Array.from([0xff, 0xd8, 0xff, 0xc0, 0, 11, 8, 0, 7, 0, 9, 1, 0, 0, 0]);
    assert.equal((await fetchIcon({ src: dataUri(jpeg, "image/jpg") })).mimeType, "image/jpeg");
  });

  it("refuses SVG unless it is allowed, and active content even then [ICON-012]", async () => {
    const svg = (inside: string): string => dataUri(new TextEncoder().encode(`<svg>${inside}</svg>`), "image/svg+xml");
    assert.match(await refusal({ src: svg("") }, {}), /this one is image\/svg\+xml/);
    assert.equal((await fetchIcon({ src: svg("") }, { allowSvg: true })).mimeType, "image/svg+xml");
    assert.match(await refusal({ src: svg("<script/>") }, { allowSvg: true }), /"script"/);
  });

  it("says which status came, and keeps the cause when nothing came", async () => {
    const missing = recordingFetch(new Response("no", { status: 404 }));
    assert.match(await refusal({ src }, { fetch: missing.fetch }), /status 200.*got 404/);
    const cause = new Error("refused");
    const { fetch } = recordingFetch(cause);
    await assert.rejects(
      fetchIcon({ src }, { serverUrl, fetch }),
      (error) => error instanceof PeerError && error.cause === cause,
    );
  });

  it("ends at its time limit and at the caller's signal, leaving no timer", async () => {
    const never: typeof fetch = () => new Promise<Response>(() => {});
    let expire: () => void = () => {};
    let running = 0;
    const clock: Clock = {
      now: () => 0,
      after: (delayMs, callback) => {
        assert.equal(delayMs, 50);
        running += 1;
        expire = callback;
        return () => {
          running -= 1;
        };
      },
    };
    const late = fetchIcon({ src }, { serverUrl, fetch: never, clock, timeoutMs: 50 });
    expire();
    await assert.rejects(late, (error) => error instanceof TimeoutError && error.timeoutMs === 50);
    const controller = new AbortController();
    const stopped = fetchIcon({ src }, { serverUrl, fetch: never, clock, timeoutMs: 50, signal: controller.signal });
    controller.abort("enough");
    await assert.rejects(stopped, (reason) => reason === "enough");
    assert.equal(running, 0);
  });

  it("refuses options that are out of range", async () => {
    await assert.rejects(fetchIcon({ src }, { maxBytes: 0 }), UsageError);
    await assert.rejects(fetchIcon({ src }, { serverUrl: "nowhere" }), UsageError);
    await assert.rejects(fetchIcon({ src }, { allowedOrigins: ["data:x"] }), UsageError);
  });
});
