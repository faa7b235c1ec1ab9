// A server that has forgotten its sessions, over real HTTP: twelve callers find out at once, and one of them sees to it.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { connect } from "parley-mcp/connect";
import type { Fetch } from "parley-mcp/http/client";
import { type HttpListener, listen } from "parley-mcp/http/node";
import { defineServer, tool } from "parley-mcp/server";

/** A server that starts anew, without its sessions, whenever a test says so; each time at a port of its own. */
class ForgetfulHost {
  /** What each message that came was about. */
  readonly received: string[] = [];
  /** How often each call was worked on. */
  readonly worked: number[] = [];
  /** Whether every call is answered as one of a session that has ended. */
  forgetsAtOnce = false;
  #listener: HttpListener | undefined;

  readonly fetch: Fetch = (_url, init) => {
    const what = init.body === undefined ? init.method : String((JSON.parse(init.body) as { method?: string }).method);
    this.received.push(what);
    return this.forgetsAtOnce && what === "tools/call"
      ? Promise.resolve(new Response("", { status: 404 }))
      : fetch(this.#listener?.url ?? "", init);
  };

  async restart(): Promise<void> {
    await this.stop();
    const app = defineServer({
      name: "forgetful",
      version: "1.0.0",
      tools: {
        count: tool(
          {
            description: "Counts",
            input: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] } as const,
          },
          ({ n }) => {
            this.worked.push(n);
            return String(n);
          },
        ),
      },
    });
    this.#listener = await listen(app);
  }

  async stop(): Promise<void> {
    await this.#listener?.close();
  }

  countOf(what: string): number {
    return this.received.filter((other) => other === what).length;
  }
}

async function open() {
  const host = new ForgetfulHost();
  await host.restart();
  const replaced: unknown[] = [];
  const client = await connect("http://localhost/mcp", {
    revision: "2025-11-25",
    client: { name: "caller", version: "1.0.0", onSessionReplaced: (...given) => replaced.push(given) },
    http: { fetch: host.fetch },
  });
  return { host, client, replaced };
}

const numbers = Array.from({ length: 12 }, (_, index) => index);

describe("a client whose server has forgotten its session", () => {
  it("shakes hands once for twelve concurrent callers, tells once, and each call is done once [PP-001] [HTTP-046]", async () => {
    const { host, client, replaced } = await open();
    await host.restart();
    host.received.length = 0;
    const results = await Promise.all(numbers.map((n) => client.callTool("count", { n })));
    assert.deepEqual(
      results.map(({ content }) => content),
      numbers.map((n) => [{ type: "text", text: String(n) }]),
    );
    assert.equal(host.countOf("initialize"), 1);
    assert.equal(replaced.length, 1);
    assert.deepEqual(
      host.worked.toSorted((a, b) => a - b),
      numbers,
    );
    await client.close();
    await host.stop();
  });

  it("fails with a typed error where the new session is forgotten too, and tries no further [PP-001] [HTTP-046]", async () => {
    const { host, client } = await open();
    host.forgetsAtOnce = true;
    host.received.length = 0;
    await assert.rejects(client.callTool("count", { n: 1 }), { code: "MCP_SESSION_EXPIRED" });
    assert.deepEqual([host.countOf("initialize"), host.countOf("tools/call")], [1, 2]);
    host.forgetsAtOnce = false;
    await client.callTool("count", { n: 2 });
    await client.close();
    await host.stop();
  });
});
