// Scenarios about the HTTP headers of requests: the link sets them by itself, so all there is to do is to make requests.

import type { ClientSession } from "parley-mcp/client";
import type { ScenarioContext } from "./play.ts";

/** One request of every kind that names something, and those that list the names. */
export async function useEverything(session: ClientSession): Promise<void> {
  await callEveryTool(session);
  for await (const { uri } of session.listResources()) {
    await session.readResource(uri);
  }
  for await (const { name } of session.listPrompts()) {
    await session.getPrompt(name);
  }
}

/** Calls every tool there is; one that the client has to reject is not among them. */
export async function callEveryTool(session: ClientSession): Promise<void> {
  for await (const { name, inputSchema } of session.listTools()) {
    const { required = [] } = inputSchema as { readonly required?: readonly string[] };
    await session.callTool(name, Object.fromEntries(required.map((argument) => [argument, "test"])));
  }
}

/** Makes the calls that the suite wants, with tools known from the list. */
export async function makeWantedCalls(session: ClientSession, { toolCalls = [] }: ScenarioContext): Promise<void> {
  if (toolCalls.length === 0) {
    throw new Error("expected tool calls to make in MCP_CONFORMANCE_CONTEXT, got none");
  }
  await session.listTools().all();
  for (const { name, arguments: args } of toolCalls) {
    await session.callTool(name, args);
  }
}
