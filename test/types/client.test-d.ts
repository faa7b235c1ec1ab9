// What a client's types let through and what they refuse. Compiled, never run.
import { expectTypeOf } from "expect-type";
import type { CallToolResult, ContentBlock, Definition, ListToolsResult } from "parley-mcp";
import { type ClientSession, defineClient, isMessage, type Middleware } from "parley-mcp/client";

type App = Definition<{
  tools: {
    add: { input: { a: number; b: number }; output: { sum: number } };
    now: { input: { zone?: string }; output: undefined };
  };
}>;

declare const session: ClientSession<App>;
declare const untyped: ClientSession;

export async function calls(): Promise<void> {
  expectTypeOf(await session.tools.add({ a: 1, b: 2 })).toEqualTypeOf<{ sum: number }>();
  expectTypeOf(await session.tools.now()).toEqualTypeOf<readonly ContentBlock[]>();
  expectTypeOf((await session.callTool("add", { a: 1, b: 2 })).structuredContent).toEqualTypeOf<
    { sum: number } | undefined
  >();
  const result = await session.callTool("add", { a: 1, b: 2 });
  expectTypeOf(result.content).toEqualTypeOf<ContentBlock[]>();
  expectTypeOf(result.isError).toEqualTypeOf<boolean | undefined>();
  expectTypeOf(result._meta).toEqualTypeOf<CallToolResult["_meta"]>();
  expectTypeOf((await session.callTool("now")).content).toEqualTypeOf<ContentBlock[]>();
  // @ts-expect-error a misspelt tool
  await session.tools.adds({ a: 1, b: 2 });
  // @ts-expect-error a wrong type
  await session.tools.add({ a: "1", b: 2 });
  // @ts-expect-error a missing argument
  await session.tools.add({ a: 1 });
  // @ts-expect-error no arguments at all
  await session.tools.add();
  // @ts-expect-error a misspelt tool
  await session.callTool("adds", { a: 1, b: 2 });
  // @ts-expect-error an unknown argument
  await session.callTool("now", { zones: "utc" });
}

export async function untypedCalls(): Promise<void> {
  expectTypeOf(await untyped.callTool("any", { a: [1] })).toEqualTypeOf<CallToolResult>();
  expectTypeOf(await untyped.callTool("any", undefined, { idleTimeoutMs: 5 })).toEqualTypeOf<CallToolResult>();
  expectTypeOf(await untyped.tools.any?.({ a: 1 })).toEqualTypeOf<unknown>();
  const result = await untyped.callTool("any");
  for (const block of result.content) {
    if (block.type === "text") {
      expectTypeOf(block.text).toEqualTypeOf<string>();
    }
    if (block.type === "resource") {
      expectTypeOf(block.resource.uri).toEqualTypeOf<string>();
    }
  }
}

export async function lowerDoor(): Promise<void> {
  expectTypeOf(await untyped.request("tools/list", { cursor: "a" })).toEqualTypeOf<ListToolsResult>();
  expectTypeOf(await untyped.request("x/own", { any: 1 })).toEqualTypeOf<{ [key: string]: unknown }>();
  const page = { cursor: "a" };
  expectTypeOf(await untyped.request("tools/list", page)).toEqualTypeOf<ListToolsResult>();
  const call = { name: "add", arguments: { a: 1, b: 2 } };
  expectTypeOf(await untyped.request("tools/call", call)).toEqualTypeOf<CallToolResult>();
  const method = String(page.cursor);
  expectTypeOf(await untyped.request(method, { any: 1 })).toEqualTypeOf<{ [key: string]: unknown }>();
  const misspelt = { nam: "add" };
  // @ts-expect-error a known method with other params is no foreign one
  await untyped.request("tools/call", misspelt);
  // @ts-expect-error the same in place
  await untyped.request("resources/read", { url: "a:b" });
  await untyped.notify("x/own", { any: 1 });
  await untyped.notify("notifications/progress", { progressToken: 1, progress: 1 });
  // @ts-expect-error a known notification with other params
  await untyped.notify("notifications/progress", { done: 1 });
  untyped.onNotification("notifications/resources/updated", ({ uri }) => expectTypeOf(uri).toEqualTypeOf<string>());
  untyped.onNotification("x/own", (params) =>
    expectTypeOf(params).toEqualTypeOf<{ [key: string]: unknown } | undefined>(),
  );
  // @ts-expect-error no such level
  await untyped.setLogLevel("warn");
  // @ts-expect-error prompt arguments are strings
  await untyped.getPrompt("p", { a: 1 });
}

export const narrowing: Middleware = (next) => async (message) => {
  if (isMessage(message, "tools/call")) {
    expectTypeOf(message.params.name).toEqualTypeOf<string>();
  }
  return next(message);
};

export const client = defineClient({
  name: "c",
  version: "1",
  onListChanged: (change) => {
    if (change.list === "tools") {
      expectTypeOf(change.added[0]?.inputSchema.type).toEqualTypeOf<"object" | undefined>();
    }
  },
  elicitation: {
    // @ts-expect-error accept needs content
    form: () => ({ action: "accept" }),
  },
});
