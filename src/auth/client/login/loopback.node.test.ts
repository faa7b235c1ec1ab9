import assert from "node:assert/strict";
import { once } from "node:events";
import { request } from "node:http";
import { type AddressInfo, connect, createServer } from "node:net";
import { describe, it, type TestContext } from "node:test";
import { readCallback } from "./callback.ts";
import { createLoopbackAgent, type LoopbackAgentOptions } from "./loopback.node.ts";
import { derivePorts } from "./loopback-port.ts";
import type { Redirection } from "./user-agent.ts";

const page = "https://as.example/authorize?client_id=c";
const idle = new AbortController().signal;

/** An agent on any free port that prints nothing and opens nothing, ready for an answer. */
async function prepare(context: TestContext, options: Partial<LoopbackAgentOptions> = {}): Promise<Redirection> {
  const agent = createLoopbackAgent({ clientName: "t", port: 0, openBrowser: () => {}, print: () => {}, ...options });
  const redirection = await agent.prepare(idle);
  context.after(() => redirection.close());
  return redirection;
}

function authorize(redirection: Redirection, state: string, isOpened = false, signal = idle): Promise<string> {
  return redirection.authorize(page, { isOpened, state, signal });
}

/** Sends one request as it is written. */
function send(
  url: string,
  { method = "GET", headers = {} }: { method?: string; headers?: Record<string, string> } = {},
): Promise<{ status: number | undefined; headers: NodeJS.Dict<string | string[]>; text: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => {
        text += part;
      });
      response.on("end", () => resolve({ status: response.statusCode, headers: response.headers, text }));
    });
    sent.on("error", reject).end();
  });
}

describe("createLoopbackAgent", () => {
  it("has an address of its own for each issuer, the same at every start", async (context) => {
    const agent = createLoopbackAgent({ clientName: "t", port: 0, openBrowser: () => {}, print: () => {} });
    const issuers = ["https://as.example", "https://evil.example", "https://as.example/", "https://as.example"];
    const redirections = await Promise.all(issuers.map((issuer) => agent.prepare(idle, { issuer })));
    for (const redirection of redirections) {
      context.after(() => redirection.close());
    }
    const paths = redirections.map(({ redirectUri }) => new URL(redirectUri).pathname);
    assert.equal(new Set(paths).size, 3);
    assert.equal(paths[0], "/callback/k-IPvZ2UNvdMJS260w7HMp");
    assert.equal(paths[3], paths[0]);
  });

  it("tells which address the answer came to, so that another issuer's is noticed", async (context) => {
    const agent = createLoopbackAgent({ clientName: "t", port: 0, openBrowser: () => {}, print: () => {} });
    const [own, other] = await Promise.all(
      ["https://as.example", "https://evil.example"].map((issuer) => agent.prepare(idle, { issuer })),
    );
    assert.ok(own !== undefined && other !== undefined);
    context.after(() => Promise.all([own.close(), other.close()]));
    const answer = authorize(own, "s1");
    await send(`${other.redirectUri}?code=c&state=s1`);
    const login = { state: "s1", issuer: "https://as.example", redirectUri: own.redirectUri };
    const came = await answer;
    assert.throws(() => readCallback(came, login, { issuer: login.issuer }), /another address/);
    const right = authorize(own, "s2");
    await send(`${own.redirectUri}?code=c&state=s2`);
    assert.equal(readCallback(await right, { ...login, state: "s2" }, { issuer: login.issuer }), "c");
    for (const path of ["/callback/", "/callback/short", `/callback/${"a".repeat(22)}/x`, "/callbackx"]) {
      assert.equal((await send(new URL(path, own.redirectUri).href)).status, 404);
    }
  });

  it("gives what the browser was sent back with, untouched, and shows a page", async (context) => {
    const opened: string[] = [];
    const redirection = await prepare(context, { openBrowser: (url) => void opened.push(url) });
    assert.match(redirection.redirectUri, /^http:\/\/127\.0\.0\.1:\d+\/callback$/);
    const answer = authorize(redirection, "s1");
    const query = "code=a%2Fb+c&state=s1&iss=https%3A%2F%2Fas.example&x=1&x=2";
    const { status, text } = await send(`${redirection.redirectUri}?${query}`);
    assert.equal(await answer, `${redirection.redirectUri}?${query}`);
    assert.deepEqual([status, opened], [200, [page]]);
    assert.match(text, /You can close this window/);
  });

  it("answers 400 to a callback with a missing, foreign or doubled state, and goes on waiting [AUTH-050]", async (context) => {
    const redirection = await prepare(context);
    const answer = authorize(redirection, "s1");
    for (const query of [
      "?code=evil",
      "?code=evil&state=s2",
      "?code=evil&state=",
      "",
      "?state=s1&state=s2&code=evil",
    ]) {
      assert.equal((await send(redirection.redirectUri + query)).status, 400, query);
    }
    await send(`${redirection.redirectUri}?code=good&state=s1`);
    assert.equal(new URL(await answer).searchParams.get("code"), "good");
  });

  it("takes one answer only [AUTH-050]", async (context) => {
    const redirection = await prepare(context);
    const answer = authorize(redirection, "s1");
    const statuses = [
      (await send(`${redirection.redirectUri}?code=1&state=s1`)).status,
      (await send(`${redirection.redirectUri}?code=2&state=s1`)).status,
    ];
    assert.deepEqual([statuses, new URL(await answer).searchParams.get("code")], [[200, 400], "1"]);
  });

  it("repeats nothing of the answer in its page, since nobody has checked who it is from [M-AUTH-006]", async (context) => {
    const redirection = await prepare(context);
    const answer = authorize(redirection, "s1");
    const query =
      "error=<b>access_denied&error_description=<script>evil()</script>&error_uri=https://evil.example&state=s1";
    const { status, text } = await send(`${redirection.redirectUri}?${encodeURI(query)}`);
    assert.equal(status, 200);
    assert.match(text, /not completed/);
    assert.doesNotMatch(text, /access_denied|script|evil/);
    assert.equal(new URL(await answer).searchParams.get("error"), "<b>access_denied");
  });

  it("sends a page that runs nothing, loads nothing, is not kept, not framed, and tells nobody the address", async (context) => {
    const redirection = await prepare(context);
    for (const path of ["?state=no", "/other"]) {
      const { headers, text } = await send(redirection.redirectUri + path);
      assert.match(String(headers["content-security-policy"]), /default-src 'none'.*frame-ancestors 'none'/);
      assert.deepEqual(
        [headers["referrer-policy"], headers["cache-control"], headers["x-content-type-options"]],
        ["no-referrer", "no-store", "nosniff"],
      );
      assert.doesNotMatch(text, /<script|<link|<img|href|src=/);
    }
  });

  it("refuses other methods, other paths and other names for this machine, and goes on waiting", async (context) => {
    const redirection = await prepare(context);
    const answer = authorize(redirection, "s1");
    const callback = `${redirection.redirectUri}?code=evil&state=s1`;
    const { port, origin } = new URL(callback);
    const statuses = [
      await send(callback, { method: "POST" }),
      await send(callback, { method: "HEAD" }),
      await send(`${origin}/favicon.ico`),
      await send(`${origin}/callback/?code=evil&state=s1`),
      await send(callback, { headers: { host: `evil.example:${port}` } }),
      await send(callback, { headers: { host: `localhost:${port}` } }),
      await send(callback, { headers: { host: "127.0.0.1" } }),
    ].map(({ status }) => status);
    assert.deepEqual(statuses, [405, 405, 404, 404, 421, 421, 421]);
    await send(`${redirection.redirectUri}?code=good&state=s1`);
    assert.equal(new URL(await answer).searchParams.get("code"), "good");
  });

  it("listens on loopback alone", async (context) => {
    const { port } = new URL((await prepare(context)).redirectUri);
    const elsewhere = connect({ host: "127.0.0.2", port: Number(port) });
    await assert.rejects(once(elsewhere, "connect"), { code: "ECONNREFUSED" });
  });

  it("answers under the name localhost where that is asked for, on each address family there is", async (context) => {
    const redirection = await prepare(context, { host: "localhost" });
    assert.match(redirection.redirectUri, /^http:\/\/localhost:\d+\/callback$/);
    const answer = authorize(redirection, "s1");
    assert.equal((await send(`${redirection.redirectUri}?code=1&state=s1`)).status, 200);
    await answer;
  });

  it("listens on the same port at every start, and on the next derived one where that is taken [PP-092]", async (context) => {
    const clientName = `stable ${process.pid}`;
    const [first, second] = derivePorts(clientName);
    const portOf = async (): Promise<number> => {
      const redirection = await prepare(context, { clientName, port: undefined });
      await redirection.close();
      return Number(new URL(redirection.redirectUri).port);
    };
    assert.deepEqual([await portOf(), await portOf()], [first, first]);
    const foreign = createServer().listen({ host: "127.0.0.1", port: first });
    await once(foreign, "listening");
    context.after(() => foreign.close());
    assert.equal(await portOf(), second);
  });

  it("says which ports were tried where none is free", async (context) => {
    const foreign = createServer().listen({ host: "127.0.0.1", port: 0 });
    await once(foreign, "listening");
    context.after(() => foreign.close());
    const { port } = foreign.address() as AddressInfo;
    await assert.rejects(prepare(context, { port }), {
      code: "MCP_AUTHORIZATION",
      message: new RegExp(`none of ${port} is`),
    });
    assert.throws(() => createLoopbackAgent({ clientName: "t", port: 65_536 }), { code: "MCP_USAGE" });
  });

  it("receives several logins at once on one port, each its own answer", async (context) => {
    const clientName = `several ${process.pid}`;
    const agent = createLoopbackAgent({ clientName, openBrowser: () => {} });
    const both = await Promise.all([agent.prepare(idle), agent.prepare(idle)]);
    context.after(() => Promise.all(both.map((redirection) => redirection.close())));
    const [one, two] = both;
    assert.equal(one.redirectUri, two.redirectUri);
    const answers = [authorize(one, "s1"), authorize(two, "s2")];
    await send(`${one.redirectUri}?code=2&state=s2`);
    await two.close();
    await send(`${one.redirectUri}?code=1&state=s1`);
    const codes = (await Promise.all(answers)).map((answer) => new URL(answer).searchParams.get("code"));
    assert.deepEqual(codes, ["1", "2"]);
  });

  it("frees the port when closed, also while browsers hold connections, and may be used again at once", async (context) => {
    const clientName = `again ${process.pid}`;
    const agent = createLoopbackAgent({ clientName, openBrowser: () => {} });
    const redirection = await agent.prepare(idle);
    const { port } = new URL(redirection.redirectUri);
    const held = connect({ host: "127.0.0.1", port: Number(port) });
    await once(held, "connect");
    const ended = once(held, "close");
    const closing = redirection.close();
    const next = await agent.prepare(idle);
    context.after(() => next.close());
    await Promise.all([closing, ended]);
    assert.equal(next.redirectUri, redirection.redirectUri);
  });

  it("gives up with the signal's reason, before and after it listens", async (context) => {
    const redirection = await prepare(context);
    const giveUp = new AbortController();
    const answer = authorize(redirection, "s1", false, giveUp.signal);
    const reason = new Error("enough");
    giveUp.abort(reason);
    await assert.rejects(answer, reason);
    assert.equal((await send(`${redirection.redirectUri}?code=1&state=s1`)).status, 400);
    await assert.rejects(createLoopbackAgent({ clientName: "t", port: 0 }).prepare(giveUp.signal), reason);
  });

  it("prints the link where nothing is to be opened, opening fails, or another process has opened it", async (context) => {
    const cases: readonly (readonly [Partial<LoopbackAgentOptions>, boolean, RegExp])[] = [
      [{ openBrowser: false }, false, /no browser is to be opened/],
      [{ openBrowser: () => Promise.reject(new Error("no screen")) }, false, /no screen/],
      [{ openBrowser: () => assert.fail("opened twice") }, true, /the page was opened before/],
    ];
    for (const [options, isOpened, reason] of cases) {
      const printed: string[] = [];
      const redirection = await prepare(context, { ...options, print: (text) => void printed.push(text) });
      const answer = authorize(redirection, "s1", isOpened);
      await new Promise(setImmediate);
      await send(`${redirection.redirectUri}?code=1&state=s1`);
      await answer;
      assert.equal(printed.length, 1);
      assert.match(printed[0] ?? "", reason);
      assert.equal(printed[0]?.split("\n")[1], page);
    }
  });

  it("neither opens nor prints an address that is none of a page [SEC-024]", async (context) => {
    const unused = (): never => assert.fail("shown");
    const redirection = await prepare(context, { openBrowser: unused, print: unused });
    const shown = redirection.authorize("javascript:alert(1)", { isOpened: false, state: "s1", signal: idle });
    await assert.rejects(shown, { code: "MCP_USAGE" });
  });
});
