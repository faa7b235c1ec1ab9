import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeServer, ForgetfulLink } from "../../../test/fixtures/fake-server.ts";
import { turn } from "../../../test/fixtures/turn.ts";
import { createDeferred } from "../../base/deferred.ts";
import type { Diagnostic } from "../../base/diagnostic.ts";
import { RpcError } from "../../jsonrpc/error.ts";
import { defineClient } from "../client.ts";
import type { ResourceUpdate } from "./subscriptions.ts";

async function open() {
  const server = new FakeServer({
    capabilities: { resources: { subscribe: true } },
    answers: {
      "resources/subscribe": () => ({}),
      "resources/unsubscribe": () => ({}),
      "resources/read": ({ uri }) => ({ contents: [{ uri, text: "now" }] }),
    },
  });
  const diagnostics: Diagnostic[] = [];
  const onDiagnostic = (diagnostic: Diagnostic): number => diagnostics.push(diagnostic);
  const link = new ForgetfulLink(server);
  const session = await defineClient({ name: "c", version: "1", onDiagnostic }).connect(link);
  server.received.length = 0;
  const update = async (uri: string): Promise<void> => {
    server.notify("notifications/resources/updated", { uri });
    await turn();
  };
  return { server, link, session, diagnostics, update };
}

describe("subscriptions", () => {
  it("tell the listener of its URI and of what lies below it, and of nothing else [RES-010]", async () => {
    const { session, update } = await open();
    const heard: ResourceUpdate[] = [];
    const subscription = await session.subscribe("file:///a", (each) => heard.push(each));
    for (const uri of ["file:///a", "file:///a/b", "file:///ab", "file:///"]) {
      await update(uri);
    }
    assert.equal(subscription.uri, "file:///a");
    assert.deepEqual(heard, [
      { uri: "file:///a", subscribedUri: "file:///a", contents: undefined },
      { uri: "file:///a/b", subscribedUri: "file:///a", contents: undefined },
    ]);
    await session.close();
  });

  it("share one subscription at the server, which ends with the last listener", async () => {
    const { server, session, update } = await open();
    const heard: string[] = [];
    const first = await session.subscribe("file:///a", () => heard.push("first"));
    const second = await session.subscribe("file:///a", () => heard.push("second"));
    await update("file:///a");
    await first.unsubscribe();
    await first.unsubscribe();
    await update("file:///a");
    assert.deepEqual(server.methods, ["resources/subscribe"]);
    await second.unsubscribe();
    await update("file:///a");
    assert.deepEqual(server.methods, ["resources/subscribe", "resources/unsubscribe"]);
    assert.deepEqual(heard, ["first", "second", "second"]);
    await session.close();
    await second[Symbol.asyncDispose]();
  });

  it("read again when asked to, once for updates that come together [RES-010]", async () => {
    const { server, session } = await open();
    const heard: unknown[] = [];
    await session.subscribe("file:///a", ({ contents }) => heard.push(contents), { reread: true });
    for (let count = 0; count < 5; count += 1) {
      server.notify("notifications/resources/updated", { uri: "file:///a" });
    }
    await turn();
    const contents = [{ uri: "file:///a", text: "now" }];
    assert.deepEqual(heard, [contents, contents]);
    assert.equal(server.paramsOf("resources/read").length, 2);
    await session.close();
  });

  it("report a listener that throws and a resource that cannot be read", async () => {
    const { server, session, diagnostics, update } = await open();
    await session.subscribe("file:///a", () => {
      throw new Error("listener");
    });
    server.answers.set("resources/read", () => {
      throw new RpcError(-32_002, "gone");
    });
    await session.subscribe("file:///b", () => assert.fail("nothing was read"), { reread: true });
    await update("file:///a");
    await update("file:///b");
    assert.deepEqual(
      diagnostics.map(({ detail }) => String(detail)),
      ["Error: listener", "ResourceNotFoundError: gone"],
    );
    await session.close();
  });

  it("are not kept when the server refuses, so that another attempt asks again", async () => {
    const { server, session } = await open();
    server.answers.set("resources/subscribe", () => {
      throw new RpcError(-32_602, "not this one");
    });
    await assert.rejects(
      session.subscribe("file:///a", () => {}),
      { rpcCode: -32_602, message: "not this one" },
    );
    server.answers.set("resources/subscribe", () => ({}));
    await session.subscribe("file:///a", () => {});
    assert.equal(server.paramsOf("resources/subscribe").length, 2);
    await session.close();
  });

  it("can be given up by one caller without harm to another, and end when nobody waits", async () => {
    const { server, session, update } = await open();
    const gate = createDeferred<object>();
    server.answers.set("resources/subscribe", () => gate.promise);
    const controller = new AbortController();
    const { signal } = controller;
    const heard: string[] = [];
    const impatient = session.subscribe("file:///a", () => assert.fail(), { signal });
    const patient = session.subscribe("file:///a", ({ uri }) => heard.push(uri));
    const alone = session.subscribe("file:///b", () => assert.fail(), { signal });
    controller.abort("enough");
    await assert.rejects(impatient, (error) => error === "enough");
    await assert.rejects(alone, (error) => error === "enough");
    gate.resolve({});
    await patient;
    await update("file:///a");
    assert.deepEqual(heard, ["file:///a"]);
    assert.deepEqual(
      server.paramsOf("resources/unsubscribe").map(({ uri }) => uri),
      ["file:///b"],
    );
    await assert.rejects(
      session.subscribe("file:///c", () => {}, { signal }),
      (error) => error === "enough",
    );
    assert.equal(server.paramsOf("resources/subscribe").length, 2);
    await session.close();
  });

  it("hear of a possible gap when the session was replaced [PP-001]", async () => {
    const { link, session } = await open();
    const heard: unknown[] = [];
    await session.subscribe("file:///a", ({ contents }) => heard.push(contents), { reread: true });
    link.forget();
    await session.ping().catch(() => {});
    await turn();
    assert.deepEqual(heard, [[{ uri: "file:///a", text: "now" }]]);
    await session.close();
  });
});
