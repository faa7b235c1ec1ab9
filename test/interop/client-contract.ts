// What our client must be able to do with any server that has the features of fixtures/peer-features.ts, whichever
// SDK it is built with and whatever link leads to it. Called by the test of each pairing.

import assert from "node:assert/strict";
import { it } from "node:test";
import { isMcpError, RpcError } from "parley-mcp";
import { modelAnswer, type RecordedSession, textOf } from "./fixtures/recording-client.ts";

/** Where peers differ, and are allowed to or are merely tolerated. */
export interface PeerTraits {
  /** What a call of an unknown tool gives: the error the specification asks for, or a failed result as in SDK 1.x. */
  readonly unknownTool: "error" | "result";
  /** What is spoken. Default: the newest revision with a handshake. */
  readonly revision?: string;
}

/** The features that need nothing but requests and their answers. */
export function itUsesFeatures(of: () => RecordedSession, traits: PeerTraits): void {
  it("learns who the server is and what it offers [LIFE-001] [LIFE-005] [LIFE-012]", () => {
    const { server } = of().session;
    assert.match(server.info.name, /^official-/);
    assert.equal(server.info.version, "1.2.3");
    assert.equal(server.instructions, "Be kind.");
    assert.equal(server.revision, traits.revision ?? "2025-11-25");
    assert.ok(server.capabilities.tools && server.capabilities.prompts && server.capabilities.logging);
  });

  it("lists tools with their schemas", async () => {
    const tools = await of().session.listTools().all();
    const add = tools.find(({ name }) => name === "add");
    assert.equal(add?.description, "The tool add");
    assert.deepEqual(Object.keys(add?.inputSchema.properties ?? {}), ["a", "b"]);
    assert.ok(add?.outputSchema);
  });

  it("walks the pages of a list to their end [PAGE-001] [PAGE-003] [PAGE-004] [PP-082]", async () => {
    const { session } = of();
    const pages: number[] = [];
    for await (const page of session.listResources().pages()) {
      pages.push(page.length);
    }
    assert.deepEqual(pages, [2, 1]);
    const resources = await session.listResources().all();
    assert.deepEqual(
      resources.map(({ name }) => name),
      ["one", "two", "pixel"],
    );
  });

  it("reads structured content that fits the listed schema [TOOL-007] [TOOL-016]", async () => {
    const { session } = of();
    await session.listTools().all();
    const result = await session.callTool("add", { a: 2, b: 40 });
    assert.deepEqual(result.structuredContent, { sum: 42 });
    assert.equal(textOf(result), '{"sum":42}');
  });

  it("takes every kind of content, with its text untouched [TOOL-009] [TOOL-010] [PP-028]", async () => {
    const { content } = await of().session.callTool("show", {});
    assert.deepEqual(
      content.map(({ type }) => type),
      ["text", "image", "audio", "resource_link", "resource"],
    );
    assert.equal(textOf({ content }), "naïve 🫖\nsecond line");
  });

  it("gives a failed tool as a result [TOOL-020]", async () => {
    const result = await of().session.callTool("fail", {});
    assert.equal(result.isError, true);
    assert.match(textOf(result), /the kettle is empty/);
  });

  it("gives a refused tool call as what the server made of it, and goes on", async () => {
    const { session } = of();
    if (traits.unknownTool === "error") {
      await assert.rejects(session.callTool("nope", {}), (error) => isRemote(error, -32602));
    } else {
      assert.equal((await session.callTool("nope", {})).isError, true);
    }
    const badArguments = await session.callTool("add", { a: "two", b: 1 });
    assert.equal(badArguments.isError, true);
    assert.equal((await session.callTool("add", { a: 1, b: 1 })).isError ?? false, false);
  });

  it("gets the code of an error from the server [BASE-009]", async () => {
    const { session } = of();
    await assert.rejects(session.request("no/such/method"), (error) => isRemote(error, -32601));
    await assert.rejects(session.getPrompt("nope"), (error) => isRemote(error, -32602));
    await assert.rejects(session.readResource("note:///nope"), (error) => error instanceof RpcError && error.remote);
  });

  it("reads text, binary and templated resources [RES-004] [RES-005]", async () => {
    const { session } = of();
    assert.deepEqual((await session.readResource("note:///one")).contents, [
      { uri: "note:///one", mimeType: "text/plain", text: "first" },
    ]);
    const [pixel] = (await session.readResource("note:///pixel")).contents;
    assert.ok(pixel && "blob" in pixel);
    const [template] = await session.listResourceTemplates().all();
    assert.equal(template?.uriTemplate, "topic:///{topic}");
    const [topic] = (await session.readResource("topic:///apples")).contents;
    assert.ok(topic && "text" in topic && topic.text === "about apples");
  });

  it("fills in prompts [PROMPT-003] [PROMPT-004]", async () => {
    const { session } = of();
    const [prompt] = await session.listPrompts().all();
    assert.deepEqual(
      prompt?.arguments?.map(({ name, required }) => [name, required ?? false]),
      [
        ["topic", true],
        ["style", false],
      ],
    );
    const { messages } = await session.getPrompt("recipe", { topic: "apples", style: "raw" });
    assert.deepEqual(messages, [{ role: "user", content: { type: "text", text: "A raw recipe with apples" } }]);
  });

  it("completes arguments of prompts and templates, with what was chosen before [COMP-002] [COMP-003]", async () => {
    const { session } = of();
    const byPrompt = { type: "ref/prompt", name: "recipe" } as const;
    const topics = await session.complete({ ref: byPrompt, argument: { name: "topic", value: "ap" } });
    assert.deepEqual(topics.values, ["apples", "apricots"]);
    const style = { ref: byPrompt, argument: { name: "style", value: "" }, context: { arguments: { topic: "bread" } } };
    assert.deepEqual((await session.complete(style)).values, ["rye", "white"]);
    const byTemplate = { type: "ref/resource", uri: "topic:///{topic}" } as const;
    const values = await session.complete({ ref: byTemplate, argument: { name: "topic", value: "b" } });
    assert.deepEqual(values.values, ["bread"]);
  });

  it("pings [PING-001]", async () => {
    await of().session.ping();
  });
}

/** Progress, logs and cancellation of calls. Needs answers as streams, or a pipe. */
export function itFollowsCalls(of: () => RecordedSession): void {
  it("is told of progress and logs of a call before its result [PROG-001] [PROG-003] [LOG-010]", async () => {
    const { session, logs } = of();
    const steps: unknown[] = [];
    const result = await session.callTool("count", { steps: 3 }, { onProgress: (step) => steps.push(step) });
    assert.equal(textOf(result), "counted to 3");
    assert.deepEqual(steps, [
      { progress: 1, total: 3, message: "step 1" },
      { progress: 2, total: 3, message: "step 2" },
      { progress: 3, total: 3, message: "step 3" },
    ]);
    const last = await logs.take("the log of the last step", ({ data }) => (data as { step?: number }).step === 3);
    assert.deepEqual(last, { level: "info", logger: "count", data: { step: 3 } });
  });

  it("keeps parallel calls with progress apart [PROG-002] [PP-017]", async () => {
    const { session } = of();
    const counts = [1, 2, 3, 4].map(async (steps) => {
      const seen: number[] = [];
      const result = await session.callTool("count", { steps }, { onProgress: ({ progress }) => seen.push(progress) });
      assert.equal(textOf(result), `counted to ${steps}`);
      assert.deepEqual(
        seen,
        Array.from({ length: steps }, (_, index) => index + 1),
      );
    });
    await Promise.all(counts);
  });
}

/** Cancellation, and what servers say outside any call. Needs a channel for that. */
export function itHearsOfChanges(of: () => RecordedSession): void {
  it("sets the level of logs on the server [LOG-004]", async () => {
    const { session, logs } = of();
    await session.setLogLevel("error");
    await session.callTool("log", {});
    await logs.take("the severe message", ({ data }) => data === "high");
    assert.ok(!logs.items.some(({ data }) => data === "low"));
    await session.setLogLevel("debug");
    await session.callTool("log", {});
    await logs.take("the other message", ({ data }) => data === "low");
  });

  it("cancels a call on the server and keeps the caller's reason [CANCEL-001] [HTTP-024] [PP-040]", async () => {
    const { session, logs } = of();
    const stop = new AbortController();
    const call = session.callTool("wait", {}, { signal: stop.signal });
    await logs.take("the call to have begun", ({ data }) => data === "waiting");
    const reason = new Error("changed my mind");
    stop.abort(reason);
    await assert.rejects(call, (error) => error === reason);
    await logs.take("the server to have stopped the call", ({ data }) => data === "wait was cancelled");
    await session.ping();
  });

  it("hears of a subscribed resource until it unsubscribes [RES-008] [RES-010]", async () => {
    const { session } = of();
    const updates: unknown[] = [];
    let told: () => void = () => undefined;
    const first = new Promise<void>((resolve) => {
      told = resolve;
    });
    const subscription = await session.subscribe(
      "note:///one",
      ({ uri, contents }) => {
        updates.push([uri, contents]);
        told();
      },
      { reread: true },
    );
    assert.equal(textOf(await session.callTool("touch", {})), "touched 1");
    await first;
    assert.deepEqual(updates, [["note:///one", [{ uri: "note:///one", mimeType: "text/plain", text: "first" }]]]);
    await subscription.unsubscribe();
    assert.equal(textOf(await session.callTool("touch", {})), "touched 0");
  });

  it("fetches a list again when the server says that it changed [PP-049]", async () => {
    const { session, changes } = of();
    await session.callTool("change-tools", {});
    const { added } = await changes.take("the new tool", ({ list }) => list === "tools");
    assert.deepEqual(
      added.map((tool) => ("name" in tool ? tool.name : undefined)),
      ["late"],
    );
    assert.equal(textOf(await session.callTool("late", {})), "better late");
    await session.callTool("change-tools", {});
    const { removed } = await changes.take("the tool to be gone", ({ list }) => list === "tools");
    assert.equal(removed.length, 1);
  });

  it("visits a page that a call needs first, and sends it again once that is done [ELIC-027]", async () => {
    const { session, pages } = of();
    const call = session.callTool("needs-page", {});
    assert.equal(await pages.take("the page to be opened"), "https://example.com/gate");
    await session.callTool("finish-page", {});
    assert.equal(textOf(await call), "let in");
  });
}

/** What servers ask while they serve a call. */
export function itAnswersQuestions(of: () => RecordedSession): void {
  it("lends its model to the server [SAMP-001] [SAMP-012]", async () => {
    const { session, sampled } = of();
    const answer: unknown = JSON.parse(textOf(await session.callTool("ask-model", {})));
    assert.deepEqual(answer, modelAnswer);
    const request = await sampled.take("the question");
    assert.equal(request.maxTokens, 10);
  });

  it("shows a form and sends what was filled in [ELIC-005] [ELIC-013] [ELIC-020]", async () => {
    const { session, forms } = of();
    const answer: unknown = JSON.parse(textOf(await session.callTool("ask-person", {})));
    assert.deepEqual(answer, { action: "accept", content: { color: "blue", name: "Ada" } });
    assert.deepEqual(await forms.take("the form"), { message: "Who?", defaults: { color: "blue" } });
  });

  it("opens a page with consent and sends no content [ELIC-021]", async () => {
    const { session, pages } = of();
    assert.deepEqual(JSON.parse(textOf(await session.callTool("ask-page", {}))), { action: "accept" });
    assert.equal(await pages.take("the page"), "https://example.com/sign-in");
  });

  it("names its roots, also after they changed [ROOT-002] [ROOT-004]", async () => {
    const { session, setRoots } = of();
    assert.deepEqual(JSON.parse(textOf(await session.callTool("ask-roots", {}))), {
      roots: [{ uri: "file:///workspace/one", name: "one" }],
    });
    setRoots(["file:///workspace/two"]);
    assert.deepEqual(JSON.parse(textOf(await session.callTool("ask-roots", {}))), {
      roots: [{ uri: "file:///workspace/two" }],
    });
  });

  it("answers a ping while it waits [PING-001]", async () => {
    assert.deepEqual(JSON.parse(textOf(await of().session.callTool("ask-ping", {}))), {});
  });
}

function isRemote(error: unknown, code: number): boolean {
  assert.ok(isMcpError(error) && error instanceof RpcError, String(error));
  assert.equal(error.rpcCode, code);
  assert.ok(error.remote);
  return true;
}
