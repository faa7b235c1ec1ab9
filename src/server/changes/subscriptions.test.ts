import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeSession, fakeExchange } from "../../../test/fixtures/exchange.ts";
import { RawClient } from "../../../test/fixtures/raw-client.ts";
import { identity, send } from "../../../test/fixtures/server-calls.ts";
import { turn } from "../../../test/fixtures/turn.ts";
import { defineServer } from "../define.ts";
import { prompt } from "../features/prompt.ts";
import { resource, template } from "../features/resource.ts";
import { tool } from "../features/tool.ts";
import type { ServerOptions } from "../options.ts";
import type { Server } from "../server.ts";

const echo = tool({}, () => "echo");
const note = resource({ uri: "note://a" }, () => "a");
const updated = "notifications/resources/updated";

function watched(more: Partial<ServerOptions> = {}): Server {
  return defineServer({
    ...identity,
    ...more,
    tools: { echo },
    prompts: { p: prompt({}, () => "") },
    resources: { note },
    templates: { t: template({ uriTemplate: "t://{id}" }, ({ id }) => id) },
  } as never);
}

const listNotices = (client: RawClient): string[] =>
  client.received.flatMap((message) => ("method" in message ? [message.method] : []));

describe("list changes", () => {
  it("reach every session without asking, one notification for all changes of a turn [TOOL-006] [RES-007] [PROMPT-008]", async () => {
    const app = watched();
    const clients = [await RawClient.connect(app), await RawClient.connect(app)];
    const changes: [() => void, string][] = [
      [() => app.tools.set("b", echo), "tools"],
      [() => app.tools.delete("b"), "tools"],
      [() => app.tools.set("echo", echo), "tools"],
      [
        () =>
          app.prompts.set(
            "q",
            prompt({}, () => ""),
          ),
        "prompts",
      ],
      [() => app.resources.delete("note"), "resources"],
      [() => app.templates.disable("t"), "resources"],
    ];
    for (const [change, kind] of changes) {
      change();
      await turn();
      for (const client of clients) {
        assert.deepEqual(listNotices(client), [`notifications/${kind}/list_changed`]);
        client.received.length = 0;
      }
    }
    for (let index = 0; index < 50; index += 1) {
      app.tools.set(`many${index}`, echo);
    }
    app.prompts.delete("q");
    await turn();
    assert.deepEqual(listNotices(clients[0] as RawClient), [
      "notifications/tools/list_changed",
      "notifications/prompts/list_changed",
    ]);
  });

  it("are announced for what the server cannot see, once a turn, and to those who have it mounted [TOOL-006] [RES-007] [PROMPT-008]", async () => {
    const app = watched();
    const hub = defineServer(identity);
    hub.mount("inner", app);
    const clients = [await RawClient.connect(app), await RawClient.connect(hub)];
    for (const list of ["tools", "prompts", "resources"] as const) {
      app.notifyListChanged(list);
      app.notifyListChanged(list);
      await turn();
      for (const client of clients) {
        assert.deepEqual(listNotices(client), [`notifications/${list}/list_changed`]);
        client.received.length = 0;
      }
    }
    assert.throws(() => app.notifyListChanged("templates" as never), /expected one of tools, prompts, resources/);
  });

  it("are announced together with those that the server does see", async () => {
    const app = watched();
    const client = await RawClient.connect(app);
    app.notifyListChanged("resources");
    app.resources.delete("note");
    await turn();
    assert.deepEqual(listNotices(client), ["notifications/resources/list_changed"]);
  });

  it("reach nobody who was not promised them [TOOL-006] [RES-007] [PROMPT-008] [LIFE-020]", async () => {
    const app = watched({ toolsListChanged: false, promptsListChanged: false, resourcesListChanged: false });
    const client = await RawClient.connect(app);
    app.tools.set("b", echo);
    app.prompts.delete("p");
    app.resources.delete("note");
    app.notifyListChanged("tools");
    await turn();
    assert.deepEqual(client.received, []);
    const empty = defineServer(identity);
    const early = await RawClient.connect(empty);
    empty.tools.set("first", echo);
    await turn();
    assert.deepEqual(early.received, [], "tools were not announced to this session");
  });

  it("reach nobody before the handshake is complete [LIFE-008]", async () => {
    const app = watched();
    const client = new RawClient(app);
    await client.initialize();
    client.received.length = 0;
    app.tools.set("b", echo);
    await turn();
    assert.deepEqual(client.received, []);
  });
});

describe("resources/subscribe", () => {
  it("sends updates to subscribers only, until they unsubscribe [RES-008] [RES-009]", async () => {
    const app = watched();
    const [subscriber, other] = [await RawClient.connect(app), await RawClient.connect(app)];
    assert.deepEqual((await subscriber.request("resources/subscribe", { uri: "note://a" })).result, {});
    app.notifyResourceUpdated("note://a");
    app.notifyResourceUpdated("note://b");
    await turn();
    assert.deepEqual(
      subscriber.notifications(updated).map(({ params }) => params),
      [{ uri: "note://a" }],
    );
    assert.deepEqual(other.received, []);
    assert.deepEqual((await subscriber.request("resources/unsubscribe", { uri: "note://a" })).result, {});
    app.notifyResourceUpdated("note://a");
    await turn();
    assert.equal(subscriber.notifications(updated).length, 1);
    assert.deepEqual([...app.subscribedUris], []);
  });

  it("tells subscribers of a whole about its parts, once [RES-009]", async () => {
    const app = watched();
    const client = await RawClient.connect(app);
    await client.request("resources/subscribe", { uri: "t://dir" });
    await client.request("resources/subscribe", { uri: "t://dir" });
    app.notifyResourceUpdated("t://file", { within: "t://dir" });
    await turn();
    assert.deepEqual(
      client.notifications(updated).map(({ params }) => params),
      [{ uri: "t://file" }],
    );
  });

  it("refuses what does not exist, and more than the limit [RES-006]", async () => {
    const client = await RawClient.connect(watched({ limits: { maxSubscriptions: 2 } }));
    assert.equal((await client.request("resources/subscribe", { uri: "note://none" })).error?.code, -32002);
    assert.equal((await client.request("resources/subscribe", {})).error?.code, -32602);
    const uris = ["t://1", "t://2", "t://3"];
    const answers = await Promise.all(uris.map((uri) => client.request("resources/subscribe", { uri })));
    assert.deepEqual(
      answers.map(({ error }) => error === undefined),
      [true, true, false],
    );
    assert.match(answers[2]?.error?.message ?? "", /at most 2 subscriptions/);
  });

  it("is kept with the session, and forgotten with it", async () => {
    const app = watched();
    const session = new FakeSession("s", { subscriptions: ["note://a"] });
    const exchange = fakeExchange({ session });
    await send(app, "ping", undefined, exchange);
    await send(app, "resources/subscribe", { uri: "t://1" }, exchange);
    assert.deepEqual(session.state?.subscriptions, ["note://a", "t://1"]);
    app.notifyResourceUpdated("note://a");
    await turn();
    assert.equal(session.notified.length, 1);
    session.end();
    app.notifyResourceUpdated("note://a");
    await turn();
    assert.equal(session.notified.length, 1);
    assert.deepEqual([...app.subscribedUris], []);
    assert.equal(app.sessions.size, 0);
  });

  it("loses none of several changes of the state at once", async () => {
    const app = watched();
    const session = new FakeSession("s", {});
    session.update = async (change) => {
      for (let before = session.state, isKept = false; !isKept; before = session.state) {
        const state = change(before);
        await turn();
        isKept = session.state === before;
        session.state = isKept ? state : session.state;
      }
    };
    const exchange = fakeExchange({ session });
    await Promise.all([
      send(app, "resources/subscribe", { uri: "t://1" }, exchange),
      send(app, "logging/setLevel", { level: "error" }, exchange),
      send(app, "resources/subscribe", { uri: "t://2" }, exchange),
    ]);
    assert.deepEqual(session.state?.subscriptions, ["t://1", "t://2"]);
    assert.equal(session.state?.logLevel, "error");
  });
});
