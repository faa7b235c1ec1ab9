import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { createDeferred } from "../base/deferred.ts";
import { UsageError } from "../base/error.ts";
import { createFakeClock } from "../test/clock.ts";
import { type Fetch, FetchFailure, type FetchInit, type GuardedRequest } from "./fetch.ts";
import { createGuardedFetch, type GuardedFetchOptions } from "./guarded-fetch.ts";

const start = "https://as.example/metadata?code=secret";
const get: GuardedRequest = { method: "GET" };

interface Recorded {
  readonly fetch: Fetch;
  readonly requests: { readonly url: string; readonly init: FetchInit }[];
}

/** A fetch that answers in order and notes what it was asked. */
function recordingFetch(...answers: readonly (Response | Error)[]): Recorded {
  const requests: Recorded["requests"] = [];
  const left = [...answers];
  return {
    requests,
    fetch: async (url, init) => {
      requests.push({ url, init });
      const answer = left.shift() ?? new Error("no more answers");
      if (answer instanceof Error) {
        throw answer;
      }
      return answer;
    },
  };
}

const redirect = (location: string, status = 302): Response => new Response("moved", { status, headers: { location } });

/** The failure that a request ends in. Nothing in it is secret. */
async function failureOf(options: GuardedFetchOptions, url = start, request = get): Promise<FetchFailure> {
  const error: unknown = await createGuardedFetch(options)(url, request).then(
    () => assert.fail("expected a failure"),
    (caught: unknown) => caught,
  );
  assert.ok(error instanceof FetchFailure, String(error));
  assert.doesNotMatch(error.message + error.url, /secret/);
  return error;
}

/** A body that never ends, and whether it was let go. */
function endlessBody(): { readonly response: Response; readonly isLetGo: () => boolean } {
  let letGo = false;
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new Uint8Array(1_000)),
    cancel: () => {
      letGo = true;
    },
  });
  return { response: new Response(body), isLetGo: () => letGo };
}

describe("createGuardedFetch", () => {
  it("sends what it is given, and gives status, headers and body", async () => {
    const headers = { "www-authenticate": 'Bearer error="x"', "content-type": "application/json" };
    const { fetch, requests } = recordingFetch(new Response('{"a":1}', { status: 401, headers }));
    const request = { method: "POST", headers: { accept: "application/json" }, body: "a=b" } as const;
    const response = await createGuardedFetch({ fetch })("https://as.example/token", request);
    assert.equal(response.status, 401);
    assert.equal(response.headers.get("www-authenticate"), 'Bearer error="x"');
    assert.deepEqual(await response.json(), { a: 1 });
    assert.equal(requests[0]?.url, "https://as.example/token");
    const { signal, ...init } = requests[0]?.init ?? assert.fail("nothing was sent");
    assert.ok(signal instanceof AbortSignal);
    assert.deepEqual(init, { ...request, redirect: "manual" });
  });

  it("gives answers that have no body", async () => {
    const { fetch } = recordingFetch(new Response(null, { status: 204 }), new Response(null, { status: 304 }));
    const guarded = createGuardedFetch({ fetch });
    assert.equal((await guarded(start, get)).status, 204);
    assert.equal((await guarded(start, get)).status, 304);
  });

  it("sends nothing to an address that is refused [SEC-014] [SEC-015] [SEC-016] [SEC-025] [SEC-027] [AUTH-052] [PP-085]", async () => {
    const { fetch, requests } = recordingFetch();
    const refused: readonly [url: string, reason: FetchFailure["reason"]][] = [
      ["http://as.example/", "scheme"],
      ["foo://as.example/", "scheme"],
      ["javascript:alert(1)", "scheme"],
      ["not a url", "url"],
      ["https://as.example/\n", "url"],
      ["https://me:secret@as.example/", "url"],
      ["https://169.254.169.254/latest/meta-data", "private-address"],
      ["https://10.0.0.1/", "private-address"],
      ["https://[::ffff:10.0.0.1]/", "private-address"],
      ["https://0x0a000001/", "private-address"],
      ["http://localhost:8080/", "private-address"],
    ];
    for (const [url, reason] of refused) {
      assert.equal((await failureOf({ fetch }, url)).reason, reason, url);
    }
    assert.deepEqual(requests, []);
  });

  it("lets private addresses pass for a trusted endpoint that is one, and where the caller says so", async () => {
    for (const options of [{ trusted: new URL("http://127.0.0.1:3000/mcp") }, { allowPrivateAddresses: true }]) {
      const { fetch } = recordingFetch(new Response("{}"));
      const response = await createGuardedFetch({ ...options, fetch })("http://localhost:9000/metadata", get);
      assert.equal(response.status, 200);
    }
  });

  it("checks what a name resolves to, where that can be told [SEC-017]", async () => {
    const { fetch, requests } = recordingFetch(new Response("{}"));
    const failure = await failureOf({ fetch, resolve: async () => ["8.8.8.8", "::ffff:10.0.0.1"] });
    assert.equal(failure.reason, "private-address");
    assert.match(failure.message, /got as\.example, which is ::ffff:10\.0\.0\.1 \(private\)/);
    for (const addresses of [[], ["as.example"]]) {
      assert.equal((await failureOf({ fetch, resolve: async () => addresses })).reason, "unreachable");
    }
    const lost = await failureOf({
      fetch,
      resolve: () => {
        throw Object.assign(new Error("no such name"), { code: "ENOTFOUND" });
      },
    });
    assert.match(lost.message, /got none: ENOTFOUND$/);
    assert.deepEqual(requests, []);
    const response = await createGuardedFetch({ fetch, resolve: async () => ["8.8.8.8"] })(start, get);
    assert.equal(response.status, 200);
  });

  it("follows redirects of GET within the origin, three at most [SEC-017]", async () => {
    const { fetch, requests } = recordingFetch(
      redirect("/a"),
      redirect("b", 307),
      redirect("https://as.example/c", 308),
      new Response("end"),
    );
    assert.equal(await (await createGuardedFetch({ fetch })(start, get)).text(), "end");
    assert.deepEqual(
      requests.map(({ url }) => url),
      [start, "https://as.example/a", "https://as.example/b", "https://as.example/c"],
    );
    const loop = recordingFetch(...["/a", "/b", "/c", "/d", "/e"].map((path) => redirect(path)));
    const failure = await failureOf({ fetch: loop.fetch });
    assert.equal(failure.reason, "redirect");
    assert.match(failure.message, /at most 3 redirects/);
    assert.equal(loop.requests.length, 4);
  });

  it("checks a redirect like the first address, and refuses one that leaves the origin [SEC-017]", async () => {
    const targets: readonly [location: string, reason: FetchFailure["reason"], message: RegExp][] = [
      ["https://10.0.0.1/secret", "private-address", /a redirect: expected a public address, got 10\.0\.0\.1/],
      ["http://127.0.0.1/", "private-address", /got 127\.0\.0\.1 \(loopback\)/],
      ["http://as.example/", "scheme", /a redirect: expected https:/],
      ["file:///etc/passwd", "scheme", /got file:/],
      ["https://me:secret@as.example/", "url", /without user name/],
      ["https://evil.example/secret", "redirect", /within https:\/\/as\.example, got one to https:\/\/evil\.example$/],
      ["//as.example:8443/secret", "redirect", /got one to https:\/\/as\.example:8443$/],
    ];
    for (const [location, reason, message] of targets) {
      const { fetch, requests } = recordingFetch(redirect(location), new Response("{}"));
      const failure = await failureOf({ fetch }, "https://as.example/metadata");
      assert.equal(failure.reason, reason, location);
      assert.match(failure.message, message);
      assert.equal(requests.length, 1);
    }
  });

  it("does not send a POST anywhere else", async () => {
    const { fetch, requests } = recordingFetch(redirect("/secret", 307));
    const failure = await failureOf({ fetch }, start, { method: "POST", body: "code=secret" });
    assert.equal(failure.reason, "redirect");
    assert.match(failure.message, /got a redirect to https:\/\/as\.example; only GET/);
    assert.equal(requests.length, 1);
  });

  it("takes an answer that only looks like a redirect as it is, and refuses one that hides where it leads", async () => {
    const { fetch } = recordingFetch(new Response(null, { status: 302 }));
    assert.equal((await createGuardedFetch({ fetch })(start, get)).status, 302);
    const hidden = Object.defineProperty(new Response(), "type", { value: "opaqueredirect" });
    assert.equal((await failureOf({ fetch: recordingFetch(hidden).fetch })).reason, "redirect");
    assert.equal((await failureOf({ fetch: recordingFetch(Response.error()).fetch })).reason, "unreachable");
  });

  it("stops reading at the limit and lets go of the body", async () => {
    const endless = endlessBody();
    const failure = await failureOf({ fetch: recordingFetch(endless.response).fetch });
    assert.equal(failure.reason, "too-large");
    assert.match(failure.message, /expected at most 262144 bytes, got more/);
    assert.ok(endless.isLetGo());
    const small = { method: "GET", maxBytes: 3 } as const;
    assert.equal(
      (await failureOf({ fetch: recordingFetch(new Response("abcd")).fetch }, start, small)).reason,
      "too-large",
    );
    const exact = recordingFetch(new Response("abc"));
    assert.equal(await (await createGuardedFetch(exact)(start, small)).text(), "abc");
    const announced = endlessBody();
    const headers = { "content-length": "300000" };
    const { fetch } = recordingFetch(new Response(announced.response.body, { headers }));
    assert.equal((await failureOf({ fetch })).reason, "too-large");
    assert.ok(announced.isLetGo());
  });

  it("gives up in time: on a connection, on a body, on a name; and leaves no timer", async () => {
    const never = createDeferred<never>();
    let isLetGo = false;
    const silent = new ReadableStream({
      cancel: () => {
        isLetGo = true;
      },
    });
    const waits: readonly GuardedFetchOptions[] = [
      { fetch: () => never.promise },
      { fetch: async () => new Response(silent) },
      { resolve: () => never.promise },
    ];
    for (const options of waits) {
      const clock = createFakeClock();
      const failing = failureOf({ ...options, clock, timeoutMs: 500 });
      await clock.advance(500);
      const failure = await failing;
      assert.equal(failure.reason, "timeout");
      assert.match(failure.message, /GET https:\/\/as\.example\/metadata: expected an answer within 500 ms, got none/);
      assert.equal(clock.pendingTimers, 0);
    }
    assert.ok(isLetGo);
    assert.throws(() => createGuardedFetch({ timeoutMs: 0 }), UsageError);
  });

  it("ends with the signal's reason, and lets go of an answer that comes too late", async () => {
    const clock = createFakeClock();
    const controller = new AbortController();
    const late = createDeferred<Response>();
    const reason = new Error("enough");
    const request = { method: "GET", signal: controller.signal } as const;
    const pending = createGuardedFetch({ fetch: () => late.promise, clock })(start, request);
    controller.abort(reason);
    await assert.rejects(pending, (error) => error === reason);
    await assert.rejects(createGuardedFetch({ clock })(start, request), (error) => error === reason);
    assert.equal(clock.pendingTimers, 0);
    const endless = endlessBody();
    late.resolve(endless.response);
    await clock.advance(0);
    assert.ok(endless.isLetGo());
  });

  it("says why there is no answer, or that it may be CORS where nothing is known [PP-085]", async () => {
    const refused = new TypeError("fetch failed", { cause: Object.assign(new Error("x"), { code: "ECONNREFUSED" }) });
    const failure = await failureOf({ fetch: recordingFetch(refused).fetch });
    assert.equal(failure.reason, "unreachable");
    assert.match(failure.message, /^GET https:\/\/as\.example\/metadata: expected an answer, got none: ECONNREFUSED$/);
    assert.equal(failure.cause, refused);
    for (const message of ["Failed to fetch", "Load failed", "NetworkError when attempting to fetch resource."]) {
      assert.match((await failureOf({ fetch: recordingFetch(new TypeError(message)).fetch })).message, /CORS/);
    }
    const faulty = new TypeError('"Bearer secret" is an invalid header value');
    assert.match((await failureOf({ fetch: recordingFetch(faulty).fetch })).message, /could not be made/);
    const circular = new Error("a");
    circular.cause = circular;
    assert.equal((await failureOf({ fetch: recordingFetch(circular).fetch })).reason, "unreachable");
  });

  it("passes on a failure of the fetch below it", async () => {
    const own = new FetchFailure("private-address", "https://as.example/", "pinned");
    assert.equal(await failureOf({ fetch: recordingFetch(own).fetch }), own);
  });

  it("uses the global fetch of the moment", async (t) => {
    const guarded = createGuardedFetch();
    t.mock.method(globalThis, "fetch", async () => new Response("mocked"));
    assert.equal(await (await guarded(start, get)).text(), "mocked");
  });
});
