// Who calls, over HTTP: schemes of one's own, and what is bound to the caller rather than to a session id.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { HttpError } from "parley-mcp";
import { connect } from "parley-mcp/connect";
import type { Fetch } from "parley-mcp/http/client";
import { createHttpHandler, type HttpAuthenticator } from "parley-mcp/http/server";
import { defineServer, tool, type UrlOutcome } from "parley-mcp/server";

const url = "http://localhost/mcp";
const refusal = { kind: "text", status: 401, headers: { "www-authenticate": "Demo" }, body: "" } as const;

/** The newest revision with sessions. */
const revision = "2025-11-25";

/** A scheme of its own: a header that names the user. */
const authenticate: HttpAuthenticator["authenticate"] = (request) => {
  const subject = request.header("x-demo-user");
  return subject === undefined
    ? { ok: false, reply: refusal }
    : { ok: true, auth: { token: `token of ${subject}`, clientId: "demo", subject, scopes: [] } };
};

function open() {
  const outcomes: UrlOutcome[] = [];
  const app = defineServer({
    name: "demo",
    version: "1.0.0",
    tools: {
      whoami: tool(
        { input: { type: "object", properties: { user: { type: "string" } } } as const },
        (_, { auth }) => auth?.subject,
      ),
      connectBank: tool({ description: "Needs a page" }, async (_, ctx) => {
        outcomes.push(await ctx.elicitUrl({ message: "Connect", url: "https://bank.example/" }));
        return "asked";
      }),
    },
  });
  const handler = createHttpHandler(app, { auth: { authenticate }, response: "stream" });
  const seen: Request[] = [];
  const replies: Response[] = [];
  const send: Fetch = async (target, init) => {
    const request = new Request(target, init);
    seen.push(request);
    const response = await handler.fetch(request);
    replies.push(response);
    return response;
  };
  return { app, outcomes, handler, seen, replies, send };
}

describe("callers over HTTP", () => {
  for (const each of [revision, undefined]) {
    it(`are told by a header of one's own, on every request, ${each ?? "newest"} [BASE-025] [HTTP-005]`, async () => {
      const { handler, seen, send } = open();
      const http = { fetch: send, headers: { "x-demo-user": "ada" } };
      const client = await connect(url, { revision: each, http });
      assert.deepEqual((await client.callTool("whoami", {})).content, [{ type: "text", text: "ada" }]);
      await client.close();
      assert.equal(seen.length > 1, true);
      assert.deepEqual([...new Set(seen.map(({ headers }) => headers.get("x-demo-user")))], ["ada"]);
      handler.close();
    });
  }

  it("are told by a fetch of one's own, which may change its mind [BASE-025]", async () => {
    const { handler, send } = open();
    const users = ["ada"];
    const signed: Fetch = (target, init) =>
      send(target, { ...init, headers: { ...init.headers, "x-demo-user": users.at(-1) ?? "" } });
    const client = await connect(url, { revision, http: { fetch: signed, standingStream: false } });
    assert.deepEqual((await client.callTool("whoami", {})).content, [{ type: "text", text: "ada" }]);
    users.push("eve");
    // The session is not eve's: it is unknown to her, so the client opens one of her own.
    assert.deepEqual((await client.callTool("whoami", {})).content, [{ type: "text", text: "eve" }]);
    assert.equal(handler.stats().sessions, 2);
    await client.close();
    handler.close();
  });

  it("are what the server goes by, not what the arguments say [ELIC-031]", async () => {
    const { handler, send } = open();
    const client = await connect(url, { http: { fetch: send, headers: { "x-demo-user": "ada" } } });
    const { content } = await client.callTool("whoami", { user: "eve" });
    assert.deepEqual(content, [{ type: "text", text: "ada" }]);
    await client.close();
    handler.close();
  });

  it("without a token get 401 and no page to open [ELIC-032]", async () => {
    const { handler, send, replies } = open();
    await assert.rejects(
      connect(url, { http: { fetch: send } }),
      (error) => error instanceof HttpError && error.status === 401,
    );
    assert.deepEqual(
      replies.map(({ status }) => status),
      [401],
    );
    handler.close();
  });

  it("cannot reach another user's session or page by its ids [ELIC-030] [HTTP-045]", async () => {
    const { app, outcomes, handler, seen } = open();
    const send: Fetch = (target, init) => {
      const request = new Request(target, init);
      seen.push(request.clone());
      return handler.fetch(request);
    };
    const told: string[] = [];
    const elicitation = {
      url: { consent: () => "accept" as const, open: () => {}, onComplete: (id: string) => void told.push(id) },
    };
    const client = await connect(url, {
      revision,
      client: { name: "tester", version: "1.0.0", elicitation },
      http: { fetch: send, headers: { "x-demo-user": "ada" } },
    });
    await client.callTool("connectBank", {});
    const session = seen.map(({ headers }) => headers.get("mcp-session-id")).find((id) => id !== null) ?? "";
    for (const method of ["POST", "GET", "DELETE"]) {
      const headers = {
        "x-demo-user": "eve",
        "mcp-session-id": session,
        accept: "application/json, text/event-stream",
        "content-type": "application/json",
      };
      const body = method === "POST" ? '{"jsonrpc":"2.0","id":1,"method":"ping"}' : null;
      const response = await handler.fetch(new Request(url, { method, headers, body }));
      assert.equal(response.status, 404, method);
      await response.body?.cancel();
    }
    const [outcome] = outcomes;
    assert.equal(outcome?.action, "accept");
    const completed = new Promise<void>((resolve) => {
      client.onNotification("notifications/elicitation/complete", () => resolve());
    });
    assert.equal(await app.completeElicitation(outcome.elicitationId), true);
    await completed;
    assert.deepEqual(told, [outcome.elicitationId]);
    await client.close();
    handler.close();
  });
});
