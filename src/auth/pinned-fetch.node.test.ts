import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, it, type TestContext } from "node:test";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";

import { within } from "../../test/fixtures/within.ts";
import { createDeferred } from "../base/deferred.ts";
import { FetchFailure, type FetchInit } from "./fetch.ts";
import { createGuardedFetch } from "./guarded-fetch.ts";
import { createPinnedFetch, type PinnedFetchOptions } from "./pinned-fetch.node.ts";

interface Local {
  readonly port: number;
  /** Method and path of what arrived. */
  readonly seen: string[];
}

/** A server on this machine, closed after the test. */
async function listen(t: TestContext, answer: RequestListener): Promise<Local> {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.headers.host} ${request.url}`);
    answer(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, seen };
}

async function readBody(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) {
    text += chunk;
  }
  return text;
}

const init = (more: Partial<FetchInit> = {}): FetchInit => ({
  method: "GET",
  headers: {},
  redirect: "manual",
  signal: new AbortController().signal,
  ...more,
});

/** A fetch for which every name is this machine, and which may go there. */
const here = (options: Partial<PinnedFetchOptions> = {}): ReturnType<typeof createPinnedFetch> =>
  createPinnedFetch({ allowsPrivate: () => true, lookup: async () => ["127.0.0.1"], ...options });

async function failureOf(promise: Promise<unknown>): Promise<FetchFailure> {
  const error: unknown = await promise.then(
    () => assert.fail("expected a failure"),
    (caught: unknown) => caught,
  );
  assert.ok(error instanceof FetchFailure, String(error));
  return error;
}

describe("createPinnedFetch", () => {
  it("connects to the address that the name was checked with, under the name [SEC-017]", async (t) => {
    const { port, seen } = await listen(t, (_, response) => response.end("hello"));
    const asked: string[] = [];
    const fetch = here({
      lookup: async (hostname) => {
        asked.push(hostname);
        return ["127.0.0.1"];
      },
    });
    const response = await fetch(`http://as.example:${port}/x?y`, init());
    assert.equal(await response.text(), "hello");
    assert.deepEqual(seen, [`GET as.example:${port} /x?y`]);
    assert.deepEqual(asked, ["as.example"]);
  });

  it("refuses a name that resolves to a private address, even beside public ones [SEC-014] [SEC-016] [SEC-017]", async (t) => {
    const { port, seen } = await listen(t, (_, response) => response.end());
    const lists = [
      ["127.0.0.1"],
      ["8.8.8.8", "127.0.0.1"],
      ["::ffff:7f00:1"],
      ["169.254.169.254"],
      ["fe80::1%eth0"],
      ["junk"],
    ];
    for (const list of lists) {
      const fetch = here({ allowsPrivate: () => false, lookup: async () => list });
      const failure = await failureOf(fetch(`http://as.example:${port}/?secret`, init()));
      assert.equal(failure.reason, "private-address", list.join());
      assert.match(
        failure.message,
        /GET http:\/\/as\.example:\d+\/: expected a public address, got .* for as\.example/,
      );
    }
    assert.equal(
      (await failureOf(here({ lookup: async () => [] })(`http://as.example:${port}/`, init()))).reason,
      "private-address",
    );
    assert.deepEqual(seen, []);
  });

  it("checks every connection, so that a name cannot change where it leads [SEC-017]", async (t) => {
    const { port, seen } = await listen(t, (_, response) => response.end("hello"));
    const answers = [["127.0.0.1"], ["10.0.0.1"]];
    const fetch = here({
      allowsPrivate: (_, address) => address === "127.0.0.1",
      lookup: async () => answers.shift() ?? [],
    });
    await (await fetch(`http://as.example:${port}/`, init())).text();
    assert.match((await failureOf(fetch(`http://as.example:${port}/`, init()))).message, /got 10\.0\.0\.1 \(private\)/);
    assert.equal(seen.length, 1);
  });

  it("checks addresses in URLs without a lookup, and wants local names to be local [SEC-016]", async (t) => {
    const { port } = await listen(t, (_, response) => response.end("hello"));
    const lookup = async (): Promise<readonly string[]> => assert.fail("nothing to look up");
    const refusing = here({ allowsPrivate: () => false, lookup });
    assert.equal((await failureOf(refusing(`http://127.0.0.1:${port}/`, init()))).reason, "private-address");
    assert.equal((await failureOf(refusing(`http://[::1]:${port}/`, init()))).reason, "private-address");
    assert.equal(await (await here({ lookup })(`http://127.0.0.1:${port}/`, init())).text(), "hello");
    const strayed = here({ lookup: async () => ["8.8.8.8"] });
    assert.match(
      (await failureOf(strayed("http://localhost/", init()))).message,
      /localhost to be this machine, got 8\.8\.8\.8/,
    );
  });

  it("sends a body, and gives status and every header", async (t) => {
    const { port } = await listen(t, async (request, response) => {
      const { "content-length": length, "content-type": type } = request.headers;
      response.writeHead(401, [
        "www-authenticate",
        "Basic a=b",
        "www-authenticate",
        "Bearer c=d",
        "x-odd",
        "caf\u00e9",
      ]);
      response.end(`${type} ${length} ${await readBody(request)}`);
    });
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const response = await here()(
      `http://as.example:${port}/token`,
      init({ method: "POST", headers, body: "a=\u00e4" }),
    );
    assert.equal(response.status, 401);
    assert.equal(response.headers.get("www-authenticate"), "Basic a=b, Bearer c=d");
    assert.equal(await response.text(), "application/x-www-form-urlencoded 4 a=\u00e4");
  });

  it("undoes the codings it knows, and leaves others", async (t) => {
    const text = "hello ".repeat(1_000);
    const bodies = new Map([
      ["gzip", gzipSync(text)],
      ["deflate", deflateSync(text)],
      ["br", brotliCompressSync(text)],
      ["gzip, BR", brotliCompressSync(gzipSync(text))],
    ]);
    const { port } = await listen(t, (request, response) => {
      const coding = decodeURIComponent(request.url?.slice(1) ?? "");
      response.setHeader("content-encoding", coding);
      response.end(bodies.get(coding) ?? "as it is");
    });
    for (const coding of bodies.keys()) {
      const response = await here()(`http://as.example:${port}/${encodeURIComponent(coding)}`, init());
      assert.equal(response.headers.get("content-encoding"), null);
      assert.equal(await response.text(), text, coding);
    }
    const other = await here()(`http://as.example:${port}/zstd`, init());
    assert.equal(other.headers.get("content-encoding"), "zstd");
    assert.equal(await other.text(), "as it is");
  });

  it("gives redirects and answers without a body as they are", async (t) => {
    const { port, seen } = await listen(t, (request, response) => {
      response.writeHead(request.url === "/none" ? 204 : 302, { location: "/elsewhere" }).end();
    });
    const response = await here()(`http://as.example:${port}/`, init());
    assert.equal(response.status, 302);
    assert.equal(response.headers.get("location"), "/elsewhere");
    assert.equal((await here()(`http://as.example:${port}/none`, init())).body, null);
    assert.equal(seen.length, 2);
  });

  it("ends with the signal's reason: while it looks up, before the answer, and in its body", async (t) => {
    const arrived = createDeferred();
    const { port } = await listen(t, (request, response) => {
      if (request.url === "/begun") {
        response.write("begun");
      } else {
        arrived.resolve();
      }
    });
    const reason = new Error("enough");
    const lookingUp = new AbortController();
    const lost = here({ lookup: () => new Promise(() => {}) })(
      "http://as.example/",
      init({ signal: lookingUp.signal }),
    );
    lookingUp.abort(reason);
    await assert.rejects(lost, (error) => error === reason);
    await assert.rejects(here()("http://as.example/", init({ signal: lookingUp.signal })), (error) => error === reason);

    const waiting = new AbortController();
    const silent = here()(`http://as.example:${port}/`, init({ signal: waiting.signal }));
    await arrived.promise;
    waiting.abort(reason);
    await assert.rejects(silent, (error) => error === reason);

    const reading = new AbortController();
    const begun = await here()(`http://as.example:${port}/begun`, init({ signal: reading.signal }));
    reading.abort(reason);
    await assert.rejects(within(begun.text(), "the body"));
  });

  it("says what broke: a connection, an answer, a coding", async (t) => {
    const { port } = await listen(t, (request, response) => {
      if (request.url === "/coding") {
        response.writeHead(200, { "content-encoding": "gzip" }).end("no gzip");
      } else if (request.url === "/cut") {
        response.writeHead(200, { "content-length": "10" }).write("cut", () => response.destroy());
      } else if (request.url === "/999") {
        response.writeHead(999).end();
      } else {
        response.destroy();
      }
    });
    await assert.rejects(here()(`http://as.example:${port}/`, init()), /hang up/);
    await assert.rejects(here()(`https://as.example:${port}/`, init()));
    await assert.rejects(here()(`http://as.example:${port}/999`, init()), RangeError);
    await assert.rejects((await here()(`http://as.example:${port}/coding`, init())).text());
    await assert.rejects((await here()(`http://as.example:${port}/cut`, init())).text());
    await assert.rejects(here()("ftp://as.example/", init()));
  });

  it("works below a guarded fetch, which bounds what a small answer unpacks to", async (t) => {
    const closed = createDeferred();
    const { port } = await listen(t, (request, response) => {
      request.socket.once("close", () => closed.resolve());
      response.writeHead(200, { "content-encoding": "gzip" });
      response.end(gzipSync(new Uint8Array(50_000_000)));
    });
    const guarded = createGuardedFetch({ fetch: here(), trusted: new URL("http://localhost/mcp") });
    const failure = await failureOf(guarded(`http://localhost:${port}/`, { method: "GET" }));
    assert.equal(failure.reason, "too-large");
    await within(closed.promise, "the connection's end");
    const refusing = createGuardedFetch({ fetch: here({ allowsPrivate: () => false }) });
    assert.equal((await failureOf(refusing("https://as.example/", { method: "GET" }))).reason, "private-address");
  });
});
