// Scenarios about connecting, tools and their schemas.

import type { ClientSession } from "parley-mcp/client";

/** Agreeing on a revision is all there is to prove: the session is open by now, and closes when this ends. */
export async function justConnect(): Promise<void> {
  // Nothing more to do.
}

/** Calls a tool with two numbers. */
export async function addNumbers(session: ClientSession): Promise<void> {
  const names = (await session.listTools().all()).map(({ name }) => name);
  if (!names.includes("add_numbers")) {
    throw new Error(`expected the server to list add_numbers, got ${names.join(", ") || "no tools"}`);
  }
  const { isError, content } = await session.callTool("add_numbers", { a: 5, b: 3 });
  if (isError === true) {
    throw new Error(`add_numbers failed: ${JSON.stringify(content)}`);
  }
}

/** Sends a tool's input schema back as it was received. */
export async function returnSchema(session: ClientSession): Promise<void> {
  for await (const { name, inputSchema } of session.listTools()) {
    if (name === "json_schema_2020_12_tool") {
      await session.callTool("json_schema_echo", { schema: inputSchema });
      return;
    }
  }
  throw new Error("expected the server to list json_schema_2020_12_tool");
}

/** Looks at every tool. What their schemas refer to elsewhere is not fetched. */
export async function listTools(session: ClientSession): Promise<void> {
  await session.listTools().all();
}

/** The server cuts the stream before it answers; the link comes back for the answer by itself. */
export async function callAcrossReconnection(session: ClientSession): Promise<void> {
  await session.callTool("test_reconnection", {});
}
