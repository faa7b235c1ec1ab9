import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { EventReader } from "../../test/fixtures/http/scripted-server.ts";
import { createFolder, type Program, sourceArgs, startProgram } from "../../test/fixtures/programs.ts";

/** A server whose tool `wait` ends with SIGUSR2, and whose tool `touch` changes a resource. */
const source = `
import { once } from "node:events";
import { defineServer, resource, tool } from "parley-mcp/server";
import { serve } from "parley-mcp/serve";
const wait = tool({}, async () => {
  console.error("entered");
  await once(process, "SIGUSR2");
  return "done";
});
const touch = tool({}, () => {
  app.notifyResourceUpdated("note://a");
  return "touched";
});
const app = defineServer({
  name: "demo",
  version: "1.0.0",
  tools: { wait, touch },
  resources: { note: resource({ uri: "note://a" }, () => "a") },
});
await serve(app, JSON.parse(process.argv[2]));
`;

/** Two processes that share a file. */
async function startTwo(context: TestContext): Promise<{ readonly program: Program; readonly url: string }[]> {
  const folder = createFolder(context, { "server.mjs": source });
  const [conditions = "", loader = ""] = sourceArgs("x");
  const options = JSON.stringify({ http: { port: 0 }, store: `sqlite:${join(folder, "state.db")}` });
  const start = async () => {
    const program = startProgram(context, [conditions, loader, join(folder, "server.mjs"), options]);
    return { program, url: await program.seen(/(http:\S+)/) };
  };
  return [await start(), await start()];
}

/** A client of one session, at whichever process it is told. */
class Visitor {
  #session = "";
  #lastId = 0;

  async post(url: string, method: string, params?: object): Promise<Response> {
    this.#lastId += 1;
    const id = method.startsWith("notifications/") ? {} : { id: this.#lastId };
    const response = await fetch(url, {
      method: "POST",
      headers: { ...this.#headers, "content-type": "application/json", accept: "application/json, text/event-stream" },
      body: JSON.stringify({ jsonrpc: "2.0", ...id, method, params }),
    });
    this.#session = response.headers.get("mcp-session-id") ?? this.#session;
    return response;
  }

  call(url: string, name: string): Promise<string> {
    return this.post(url, "tools/call", { name, arguments: {} }).then((response) => response.text());
  }

  async listen(url: string, after?: string): Promise<EventReader> {
    const resumed = after === undefined ? {} : { "last-event-id": after };
    const response = await fetch(url, { headers: { ...this.#headers, ...resumed, accept: "text/event-stream" } });
    assert.equal(response.status, 200);
    return new EventReader(response);
  }

  get #headers(): { readonly [name: string]: string } {
    return this.#session === "" ? {} : { "mcp-session-id": this.#session, "mcp-protocol-version": "2025-11-25" };
  }
}

const withoutSignals = process.platform === "win32" ? "processes cannot be asked to stop by a signal there" : false;

describe("two processes that share a store, one of which is restarted", { skip: withoutSignals }, () => {
  it("finish every call and lose no change: the session goes on at the other [RES-008] [RES-009] [PP-004] [PP-115]", async (context) => {
    const [one, other] = (await startTwo(context)) as [
      { readonly program: Program; readonly url: string },
      { readonly program: Program; readonly url: string },
    ];
    const visitor = new Visitor();
    const clientInfo = { name: "visitor", version: "1" };
    await visitor.post(one.url, "initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
    assert.equal((await visitor.post(other.url, "notifications/initialized")).status, 202);
    await (await visitor.post(other.url, "resources/subscribe", { uri: "note://a" })).text();
    const stream = await visitor.listen(one.url);
    assert.match(await visitor.call(other.url, "touch"), /touched/);
    let event = await stream.next();
    while (event?.data === "") {
      event = await stream.next();
    }
    assert.match(event?.data ?? "", /resources\/updated/);
    const answer = visitor.call(one.url, "wait");
    await one.program.seen(/entered/);
    one.program.child.kill("SIGTERM");
    await one.program.seen(/stopping: 1 call in progress/);
    await assert.rejects(visitor.post(one.url, "ping"));
    one.program.child.kill("SIGUSR2");
    assert.match(await answer, /done/);
    assert.deepEqual(await one.program.ended, { code: 0, signal: null });
    assert.deepEqual(await stream.rest(), []);
    assert.match(await visitor.call(other.url, "touch"), /touched/);
    const resumed = await visitor.listen(other.url, event?.id);
    assert.equal((await resumed.message())?.method, "notifications/resources/updated");
    assert.match(await visitor.call(other.url, "touch"), /touched/);
    assert.equal((await resumed.message())?.method, "notifications/resources/updated");
    other.program.child.kill("SIGTERM");
    assert.deepEqual(await resumed.rest(), []);
    assert.deepEqual(await other.program.ended, { code: 0, signal: null });
  });
});
