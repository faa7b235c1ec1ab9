// What the asking tools of the server fixture share: a question to the client's model, and the text of its answer.

import type { Context } from "parley-mcp/server";

type Sample = Context["sample"];

/** A question to a model, as short as they come. */
export function question(text: string): Parameters<Sample>[0] {
  return { messages: [{ role: "user", content: { type: "text", text } }], maxTokens: 100 };
}

/** The text of a model's answer. */
export function firstText({ content }: Awaited<ReturnType<Sample>>): string {
  const [block] = Array.isArray(content) ? content : [content];
  return block?.type === "text" ? block.text : JSON.stringify(content);
}
