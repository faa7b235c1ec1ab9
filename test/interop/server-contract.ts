// What the clients of others must be able to do with our server, whatever link leads to it. Called by the test of each
// pairing. The server is fixtures/own-server.ts.

import assert from "node:assert/strict";
import { it } from "node:test";
import { type ForeignClient, foreignAnswer, type Loose } from "./fixtures/foreign-client.ts";

/** Where clients differ in what they show of our answers. */
export interface ClientTraits {
  /** The code of the error of a resource that is not there. */
  readonly resourceNotFound: -32_002 | -32_602;
  /** Whether its requests stand for themselves, so that there is no ping. Default false. */
  readonly isAlone?: boolean;
  /** What it shows of -32601 that comes with status 404: the code, or what it makes of the status. Default the code. */
  readonly unknownMethod?: string;
}

/** The features that need nothing but requests and their answers. */
export function itServesFeatures(of: () => ForeignClient, traits: ClientTraits): void {
  it("introduces itself [LIFE-004] [LIFE-019] [TOOL-001] [RES-001] [PROMPT-001] [COMP-001]", () => {
    const { serverInfo, capabilities, instructions } = of();
    assert.deepEqual(serverInfo, { name: "own-server", version: "3.2.1" });
    assert.equal(instructions, "Be kind.");
    for (const capability of ["tools", "resources", "prompts", "completions"]) {
      assert.ok(capabilities?.[capability], capability);
    }
  });

  it("lists every tool once over all pages [TOOL-002] [PAGE-001]", async () => {
    const names = await of().listTools();
    assert.equal(new Set(names).size, names.length);
    for (const name of ["add", "fail", "show", "count", "wait", "cut", "ask-model", "needs-page", "change-tools"]) {
      assert.ok(names.includes(name), name);
    }
  });

  it("gives structured results that the client's validator accepts, and their text [TOOL-014] [TOOL-015] [PP-056]", async () => {
    const result = await of().callTool("add", { a: 2, b: 40 });
    assert.deepEqual(result.structuredContent, { sum: 42 });
    assert.deepEqual(JSON.parse(textOf(result)), { sum: 42 });
  });

  it("gives every kind of content, with its text untouched [TOOL-009] [TOOL-010] [STDIO-004]", async () => {
    const result = await of().callTool("show");
    const content = result.content as Loose[];
    assert.deepEqual(
      content.map(({ type }) => type),
      ["text", "image", "audio", "resource_link", "resource"],
    );
    assert.equal(textOf(result), "naïve 🫖\nsecond line");
  });

  it("gives failures inside a tool as results [TOOL-017] [PP-065]", async () => {
    const result = await of().callTool("fail");
    assert.equal(result.isError, true);
    assert.equal(textOf(result), "the kettle is empty");
  });

  it("names what is wrong with arguments in a failed result [TOOL-018] [TOOL-025] [PP-059]", async () => {
    const client = of();
    const wrongType = await client.callTool("add", { a: "two", b: 1 });
    assert.equal(wrongType.isError, true);
    assert.match(textOf(wrongType), /\ba\b.*number/s);
    const unknown = await client.callTool("add", { a: 1, b: 2, bb: 3 });
    assert.equal(unknown.isError, true);
    assert.match(textOf(unknown), /bb/);
  });

  it("refuses unknown tools, prompts, resources and methods with their codes [TOOL-019] [PROMPT-009] [RES-006] [BASE-016]", async () => {
    const client = of();
    await rejectsWith(client.callTool("ask-perso", {}), -32602, /ask-person/);
    await rejectsWith(client.request("prompts/get", { name: "nope" }), -32602, /nope/);
    await rejectsWith(
      client.request("resources/read", { uri: "note:///nope" }),
      traits.resourceNotFound,
      /note:\/\/\/nope/,
    );
    await rejectsWith(client.request("no/such/method"), traits.unknownMethod ?? -32601, /no\/such\/method/);
    await client.request(traits.isAlone === true ? "server/discover" : "ping");
  });

  it("reads text, binary and templated resources [RES-003] [RES-004] [RES-005]", async () => {
    const client = of();
    assert.deepEqual((await client.request("resources/read", { uri: "note:///one" })).contents, [
      { uri: "note:///one", mimeType: "text/plain", text: "first" },
    ]);
    const [pixel] = (await client.request("resources/read", { uri: "note:///pixel" })).contents as Loose[];
    assert.equal(typeof pixel?.blob, "string");
    const [template] = (await client.request("resources/templates/list")).resourceTemplates as Loose[];
    assert.equal(template?.uriTemplate, "topic:///{topic}");
    const [topic] = (await client.request("resources/read", { uri: "topic:///gr%C3%BCn" })).contents as Loose[];
    assert.equal(topic?.text, "about grün");
  });

  it("pages its resources [PAGE-001] [PAGE-006]", async () => {
    const client = of();
    const first = await client.request("resources/list");
    const second = await client.request("resources/list", { cursor: first.nextCursor });
    const names = [...(first.resources as Loose[]), ...(second.resources as Loose[])].map(({ name }) => name);
    assert.deepEqual(names, ["one", "two", "pixel"]);
    assert.equal(second.nextCursor, undefined);
    await rejectsWith(client.request("resources/list", { cursor: "bogus" }), -32602, /cursor/);
  });

  it("fills in prompts and misses required arguments [PROMPT-002] [PROMPT-004] [PROMPT-009]", async () => {
    const client = of();
    const prompts = (await client.request("prompts/list")).prompts as { arguments: Loose[] }[];
    assert.deepEqual(
      prompts[0]?.arguments.map(({ name, required }) => [name, required ?? false]),
      [
        ["topic", true],
        ["style", false],
      ],
    );
    const args = { topic: "apples", style: "raw" };
    assert.deepEqual((await client.request("prompts/get", { name: "recipe", arguments: args })).messages, [
      { role: "user", content: { type: "text", text: "A raw recipe with apples" } },
    ]);
    await rejectsWith(client.request("prompts/get", { name: "recipe", arguments: {} }), -32602, /topic/);
  });

  it("completes arguments, with what was chosen before [COMP-003] [COMP-005] [PP-083]", async () => {
    const client = of();
    const prompt = { type: "ref/prompt", name: "recipe" };
    const topic = await client.request("completion/complete", {
      ref: prompt,
      argument: { name: "topic", value: "ap" },
    });
    assert.deepEqual((topic.completion as Loose).values, ["apples", "apricots"]);
    const style = await client.request("completion/complete", {
      ref: prompt,
      argument: { name: "style", value: "" },
      context: { arguments: { topic: "bread" } },
    });
    assert.deepEqual((style.completion as Loose).values, ["rye", "white"]);
    const template = { type: "ref/resource", uri: "topic:///{topic}" };
    const value = { ref: template, argument: { name: "topic", value: "b" } };
    assert.deepEqual(((await client.request("completion/complete", value)).completion as Loose).values, ["bread"]);
  });
}

/** Progress and logs of calls. */
export function itReportsOnCalls(of: () => ForeignClient): void {
  it("reports progress of a call before its result, ending with the last step [PROG-003] [PROG-004]", async () => {
    const seen: number[] = [];
    const result = await of().callTool("count", { steps: 3 }, { onprogress: ({ progress }) => seen.push(progress) });
    assert.equal(textOf(result), "counted to 3");
    assert.equal(seen.at(-1), 3);
    assert.deepEqual(
      seen,
      seen.toSorted((a, b) => a - b),
    );
  });

  it("sends no progress to a call that did not ask for it [PROG-005]", async () => {
    const client = of();
    await client.callTool("count", { steps: 2 });
    assert.ok(!client.heard.items.some(({ method }) => method === "notifications/progress"));
  });

  it("keeps parallel calls apart [PROG-002] [PP-017]", async () => {
    const client = of();
    const counts = [1, 2, 3, 4].map(async (steps) => {
      const seen: number[] = [];
      const result = await client.callTool("count", { steps }, { onprogress: ({ progress }) => seen.push(progress) });
      assert.equal(textOf(result), `counted to ${steps}`);
      assert.equal(seen.at(-1), steps);
    });
    await Promise.all(counts);
  });
}

/** What belongs to no call, and needs a channel for that. */
export function itTellsOfChanges(of: () => ForeignClient): void {
  it("stops a cancelled call and answers nothing more to it [CANCEL-005] [HTTP-024]", async () => {
    const client = of();
    const stop = new AbortController();
    const call = client.callTool("wait", {}, { signal: stop.signal });
    await client.heard.take("the call to have begun", isLog("waiting"));
    stop.abort(new Error("changed my mind"));
    await assert.rejects(call, /changed my mind/);
    await client.heard.take("the call to have stopped", isLog("wait was cancelled"));
    await client.request("ping");
  });

  it("keeps to the level of logs that was set [LOG-002] [LOG-005]", async () => {
    const client = of();
    await client.request("logging/setLevel", { level: "error" });
    await client.callTool("log");
    await client.heard.take("the severe message", isLog("high"));
    assert.ok(!client.heard.items.some(isLog("low")));
    await client.request("logging/setLevel", { level: "debug" });
    await client.callTool("log");
    await client.heard.take("the other message", isLog("low"));
    await rejectsWith(client.request("logging/setLevel", { level: "loud" }), -32602, /level/);
  });

  it("tells subscribers of an update, and nobody else [RES-008] [RES-009]", async () => {
    const client = of();
    const update = "notifications/resources/updated";
    assert.equal(textOf(await client.callTool("touch")), "touched 0");
    assert.deepEqual(await client.request("resources/subscribe", { uri: "note:///one" }), {});
    await client.callTool("touch");
    const heard = await client.heard.take("the update", ({ method }) => method === update);
    assert.equal(heard.params?.uri, "note:///one");
    assert.deepEqual(await client.request("resources/unsubscribe", { uri: "note:///one" }), {});
    await client.callTool("touch");
    assert.ok(!client.heard.items.some(({ method }) => method === update));
  });

  it("announces that its tools changed, once for each change [TOOL-006]", async () => {
    const client = of();
    const changed = "notifications/tools/list_changed";
    await client.callTool("change-tools");
    await client.heard.take("the notice", ({ method }) => method === changed);
    assert.equal(textOf(await client.callTool("late")), "better late");
    await client.callTool("change-tools");
    await client.heard.take("the second notice", ({ method }) => method === changed);
    assert.ok(!client.heard.items.some(({ method }) => method === changed));
  });

  it("requires a page by -32042 and says when it is done [ELIC-024] [ELIC-025] [ELIC-029]", async () => {
    const client = of();
    const data = await rejectsWith(client.callTool("needs-page"), -32042, /./);
    const [elicitation] = (data as { elicitations: Loose[] }).elicitations;
    const page = { mode: "url", url: "https://example.com/gate", elicitationId: "page-2", message: "Sign in first" };
    assert.deepEqual(elicitation, page);
    assert.equal(textOf(await client.callTool("finish-page")), "finished");
    const complete = "notifications/elicitation/complete";
    const heard = await client.heard.take("the completion", ({ method }) => method === complete);
    assert.equal(heard.params?.elicitationId, "page-2");
    assert.equal(textOf(await client.callTool("needs-page")), "let in");
  });
}

/** What it asks, whichever way questions travel. */
export function itAsksAnyhow(of: () => ForeignClient): void {
  it("asks the client's model [SAMP-007] [M-SAMP-001] [PP-044]", async () => {
    assert.deepEqual(JSON.parse(textOf(await of().callTool("ask-model"))), foreignAnswer);
  });

  it("asks the person by a form [ELIC-004] [ELIC-006] [ELIC-014] [M-MRTR-030] [PP-044]", async () => {
    const answer = JSON.parse(textOf(await of().callTool("ask-person"))) as { content: Loose };
    assert.equal(answer.content.name, "Grace");
  });

  it("asks for roots [ROOT-009] [M-ROOT-001]", async () => {
    assert.deepEqual(JSON.parse(textOf(await of().callTool("ask-roots"))), [{ uri: "file:///foreign" }]);
  });
}

/** What it asks while it serves a call. */
export function itAsksQuestions(of: () => ForeignClient): void {
  itAsksAnyhow(of);

  it("asks the person to open a page [ELIC-017] [ELIC-023]", async () => {
    const client = of();
    const answer: unknown = JSON.parse(textOf(await client.callTool("ask-page")));
    assert.deepEqual(answer, { action: "accept", elicitationId: "page-1" });
    assert.equal(await client.pages.take("the page"), "https://example.com/sign-in");
  });

  it("asks for roots, and again after they changed [ROOT-009] [ROOT-011]", async () => {
    const client = of();
    await client.callTool("ask-roots");
    await client.setRoots(["file:///moved"]);
    assert.deepEqual(JSON.parse(textOf(await client.callTool("ask-roots"))), [{ uri: "file:///moved" }]);
  });

  it("pings while it serves a call [PING-001]", async () => {
    assert.equal(textOf(await of().callTool("ask-ping")), "{}");
  });
}

/** The text of a result's first block. */
export function textOf(result: Loose): string {
  const [block] = result.content as { text?: string }[];
  return block?.text ?? "";
}

/** A log message with this text. */
export function isLog(data: string): (notification: { method: string; params?: Loose | undefined }) => boolean {
  return ({ method, params }) => method === "notifications/message" && params?.data === data;
}

/** The `data` of the error that a request is refused with. */
export async function rejectsWith(request: Promise<unknown>, code: number | string, message: RegExp): Promise<unknown> {
  const error = (await request.then(
    () => assert.fail("expected the request to be refused"),
    (reason: unknown) => reason,
  )) as { code: unknown; message: string; data: unknown };
  assert.equal(error.code, code, error.message);
  assert.match(error.message, message);
  return error.data;
}
