// What our client must be able to do with `@modelcontextprotocol/server-everything`, whatever link leads to it.

import assert from "node:assert/strict";
import { it } from "node:test";
import type { ClientOptions } from "parley-mcp/client";
import { modelAnswer, type RecordedSession, textOf } from "./fixtures/recording-client.ts";
import { Mailbox } from "./fixtures/waiting.ts";

/** Pages that the server wanted visited, and whether a call was waiting for it. */
export interface Visits {
  readonly asked: Mailbox<{ url: string; isBlocking: boolean }>;
  readonly elicitation: NonNullable<ClientOptions["elicitation"]>;
}

/** A person who agrees to everything, and sends blocked calls again by hand: this server never reports completion. */
export function createVisits(): Visits {
  const asked: Visits["asked"] = new Mailbox();
  return {
    asked,
    elicitation: {
      form: ({ defaults }) => ({ action: "accept", content: { ...defaults, name: "Ada", email: "ada@example.com" } }),
      url: {
        consent: ({ url, blockedCall }) => {
          asked.push({ url: url.href, isBlocking: blockedCall !== undefined });
          blockedCall?.retry();
          return "accept";
        },
        open: () => undefined,
      },
    },
  };
}

/** Handshake, lists, tools, resources, prompts, completion. */
export function itExploresEverything(of: () => RecordedSession): void {
  it("shakes hands and learns how to use the server [LIFE-005] [LIFE-012]", () => {
    const { server } = of().session;
    assert.equal(server.info.title, "Everything Reference Server");
    assert.match(server.instructions ?? "", /Everything Server/);
    assert.equal(server.revision, "2025-11-25");
  });

  it("lists tools, among them those that hang on what the client can do [LIFE-018]", async () => {
    const tools = await of().session.listTools().all();
    const names = tools.map(({ name }) => name);
    for (const name of ["echo", "get-roots-list", "trigger-sampling-request", "trigger-url-elicitation"]) {
      assert.ok(names.includes(name), name);
    }
    assert.equal(tools.find(({ name }) => name === "echo")?.annotations?.readOnlyHint, true);
  });

  it("calls tools and checks structured content against the listed schema [TOOL-016]", async () => {
    const { session } = of();
    await session.listTools().all();
    assert.equal(textOf(await session.callTool("echo", { message: "häh?\n" })), "Echo: häh?\n");
    assert.match(textOf(await session.callTool("get-sum", { a: 2, b: 3 })), /5/);
    const weather = await session.callTool("get-structured-content", { location: "Chicago" });
    assert.deepEqual(weather.structuredContent, { temperature: 36, conditions: "Light rain / drizzle", humidity: 82 });
    assert.equal((await session.callTool("echo", {})).isError, true);
  });

  it("takes images, links, embedded resources and annotations [TOOL-009] [RES-012]", async () => {
    const { session } = of();
    const image = await session.callTool("get-tiny-image", {});
    assert.deepEqual(
      image.content.map(({ type }) => type),
      ["text", "image", "text"],
    );
    const links = await session.callTool("get-resource-links", { count: 2 });
    assert.deepEqual(
      links.content.map(({ type }) => type),
      ["text", "resource_link", "resource_link"],
    );
    const reference = await session.callTool("get-resource-reference", { resourceType: "Blob", resourceId: 3 });
    assert.equal(reference.content[1]?.type, "resource");
    const annotated = await session.callTool("get-annotated-message", { messageType: "error" });
    assert.deepEqual(annotated.content[0]?.annotations, { priority: 1, audience: ["user", "assistant"] });
  });

  it("lists and reads resources, and what templates lead to [RES-004] [RES-005]", async () => {
    const { session } = of();
    const [first] = await session.listResources().all();
    assert.ok(first);
    const [document] = (await session.readResource(first.uri)).contents;
    assert.ok(document && "text" in document && document.text.length > 0);
    const templates = await session.listResourceTemplates().all();
    assert.equal(templates.length, 2);
    const [blob] = (await session.readResource("demo://resource/dynamic/blob/7")).contents;
    assert.ok(blob && "blob" in blob);
    assert.match(Buffer.from(blob.blob, "base64").toString(), /^Resource 7:/);
    await assert.rejects(session.readResource("demo://resource/dynamic/text/zero"), /Unknown resource/);
  });

  it("lists, fills in and completes prompts [PROMPT-003] [COMP-003]", async () => {
    const { session } = of();
    const prompts = await session.listPrompts().all();
    assert.equal(prompts.length, 4);
    const { messages } = await session.getPrompt("args-prompt", { city: "Ulm", state: "BW" });
    assert.deepEqual(messages[0]?.content, { type: "text", text: "What's weather in Ulm, BW?" });
    const embedded = await session.getPrompt("resource-prompt", { resourceType: "Text", resourceId: "1" });
    assert.equal(embedded.messages[1]?.content.type, "resource");
    const ref = { type: "ref/prompt", name: "completable-prompt" } as const;
    const context = { arguments: { department: "Sales" } };
    const found = await session.complete({ ref, argument: { name: "name", value: "E" }, context });
    assert.deepEqual(found.values, ["Eve"]);
  });

  it("pings [PING-001]", async () => {
    await of().session.ping();
  });
}

/** Progress, cancellation, logs, subscriptions. */
export function itFollowsEverything(of: () => RecordedSession): void {
  it("is told of the progress of a long call [PROG-001] [PROG-003]", async () => {
    const steps: number[] = [];
    const args = { duration: 0.1, steps: 4 };
    const onProgress = ({ progress, total }: { progress: number; total?: number }): void => {
      steps.push(progress);
      assert.equal(total, 4);
    };
    const result = await of().session.callTool("trigger-long-running-operation", args, { onProgress });
    assert.match(textOf(result), /completed/);
    assert.deepEqual(steps, [1, 2, 3, 4]);
  });

  it("gives up a long call at once although the server takes no notice [CANCEL-007] [LIFE-024]", async () => {
    const { session } = of();
    const stop = new AbortController();
    const args = { duration: 600, steps: 600_000 };
    const begun = new Mailbox<number>();
    const onProgress = ({ progress }: { progress: number }): void => begun.push(progress);
    const call = session.callTool("trigger-long-running-operation", args, { signal: stop.signal, onProgress });
    await begun.take("the call to have begun");
    const reason = new Error("enough");
    stop.abort(reason);
    await assert.rejects(call, (error) => error === reason);
    await session.ping();
  });

  it("sets the level of logs and hears them [LOG-004] [LOG-010]", async () => {
    const { session, logs } = of();
    await session.setLogLevel("debug");
    await session.callTool("toggle-simulated-logging", {});
    const { level } = await logs.take("a simulated message", ({ data }) => /level.message/i.test(String(data)));
    assert.ok(level);
    await session.callTool("toggle-simulated-logging", {});
  });

  it("subscribes to a resource and hears of its updates [RES-008] [RES-010]", async () => {
    const { session } = of();
    const uri = "demo://resource/dynamic/text/1";
    const updates = new Mailbox<string>();
    const subscription = await session.subscribe(uri, (update) => updates.push(update.uri));
    await session.callTool("toggle-subscriber-updates", {});
    assert.equal(await updates.take("an update"), uri);
    await session.callTool("toggle-subscriber-updates", {});
    await subscription.unsubscribe();
  });
}

/** Sampling, elicitation, roots. */
export function itAnswersEverything(of: () => RecordedSession, visits: Visits): void {
  it("lends its model [SAMP-001] [SAMP-012]", async () => {
    const { session, sampled } = of();
    const result = await session.callTool("trigger-sampling-request", { prompt: "hello", maxTokens: 7 });
    assert.match(textOf(result), new RegExp(modelAnswer.content.text));
    const request = await sampled.take("the question");
    assert.equal(request.maxTokens, 7);
    assert.equal(request.systemPrompt, "You are a helpful test server.");
  });

  it("fills in a form of every kind of field from its defaults [ELIC-008] [ELIC-009] [ELIC-010] [ELIC-011] [ELIC-012] [ELIC-013]", async () => {
    const result = await of().session.callTool("trigger-elicitation-request", {});
    const raw = (result.content.at(-1) as { text: string }).text;
    const { action, content } = JSON.parse(raw.slice(raw.indexOf("{"))) as { action: string; content: unknown };
    assert.equal(action, "accept");
    assert.deepEqual(content, {
      name: "Ada",
      email: "ada@example.com",
      firstLine: "It was a dark and stormy night.",
      integer: 42,
      number: 3.14,
      untitledSingleSelectEnum: "Monica",
      untitledMultipleSelectEnum: ["Guitar"],
      titledSingleSelectEnum: "hero-1",
      titledMultipleSelectEnum: ["fish-1"],
      legacyTitledEnum: "pet-1",
    });
  });

  it("visits pages: one asked for, and one that a call needs before it can be sent again [ELIC-021] [ELIC-027]", async () => {
    const { session } = of();
    const asked = await session.callTool("trigger-url-elicitation", { url: "https://example.com/a" });
    assert.match(textOf(asked), /User completed/);
    assert.deepEqual(await visits.asked.take("the page"), { url: "https://example.com/a", isBlocking: false });
    const blocked = await session.callTool("trigger-url-elicitation", {
      url: "https://example.com/b",
      errorPath: true,
    });
    assert.match(textOf(blocked), /User completed/);
    const first = await visits.asked.take("the page in the way");
    assert.deepEqual(first, { url: "https://modelcontextprotocol.io/", isBlocking: true });
    assert.deepEqual(await visits.asked.take("the page itself"), { url: "https://example.com/b", isBlocking: false });
  });

  it("names its roots and says when they change [ROOT-001] [ROOT-002] [ROOT-004]", async () => {
    const { session, logs, setRoots } = of();
    assert.match(textOf(await session.callTool("get-roots-list", {})), /file:\/\/\/workspace\/one/);
    setRoots(["file:///workspace/two", "file:///workspace/three"]);
    await logs.take("the server to have asked again", ({ data }) => String(data).startsWith("Roots updated: 2"));
    assert.match(textOf(await session.callTool("get-roots-list", {})), /file:\/\/\/workspace\/three/);
  });
}
