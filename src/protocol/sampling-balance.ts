/**
 * The balance of tool uses and tool results in a sampling conversation: every use is answered, at once, by
 * a message of nothing but results. A rule over the whole list; single blocks are checked in `checks/`.
 *
 * Specification: Client > Sampling > Message Content Constraints; > Tool Use and Result Balance.
 */
import type { SamplingMessageContentBlock } from "./types/content.ts";
import type { SamplingMessage } from "./types/sampling.ts";

/**
 * Judges the balance of tool uses and results. Answers `undefined` when it holds, else one sentence that
 * names the message and the id; missing results start with "Tool result missing in request".
 * Specification: Client > Sampling > Tool Use and Result Balance [SAMP-016, SAMP-017, SAMP-018, SAMP-019].
 *
 * @param messages - messages that `checkParams("sampling/createMessage", ...)` accepts
 *
 * @example
 * ```ts
 * checkSamplingBalance([{ role: "user", content: { type: "text", text: "hello" } }]); // undefined
 * ```
 */
export function checkSamplingBalance(messages: readonly SamplingMessage[]): string | undefined {
  let open: ReadonlySet<string> = new Set();
  for (const [index, message] of messages.entries()) {
    const at = `messages[${index}]`;
    const blocks = blocksOf(message);
    const problem = findMisplacedBlock(message, blocks, at) ?? findUnbalancedResult(blocks, open, at);
    if (problem !== undefined) {
      return problem;
    }
    const uses = toolUseIds(blocks);
    const repeated = uses.find((id, position) => uses.indexOf(id) !== position);
    if (repeated !== undefined) {
      return `${at}: expected tool_use ids to differ, got ${quote(repeated)} twice`;
    }
    open = new Set(uses);
  }
  return open.size === 0
    ? undefined
    : `Tool result missing in request: messages end before ${quoteAll(open)} is answered`;
}

function blocksOf({ content }: SamplingMessage): readonly SamplingMessageContentBlock[] {
  return Array.isArray(content) ? content : [content];
}

function toolUseIds(blocks: readonly SamplingMessageContentBlock[]): string[] {
  return blocks.flatMap((block) => (block.type === "tool_use" ? [block.id] : []));
}

function findMisplacedBlock(
  { role }: SamplingMessage,
  blocks: readonly SamplingMessageContentBlock[],
  at: string,
): string | undefined {
  const results = blocks.filter((block) => block.type === "tool_result").length;
  if (role === "assistant" && results > 0) {
    return `${at}: expected tool_result blocks in user messages only, got one in an assistant message`;
  }
  if (role === "user" && blocks.some((block) => block.type === "tool_use")) {
    return `${at}: expected tool_use blocks in assistant messages only, got one in a user message`;
  }
  return results > 0 && results < blocks.length
    ? `${at}: expected a message with a tool_result to hold tool_result blocks only, got other content beside it`
    : undefined;
}

function findUnbalancedResult(
  blocks: readonly SamplingMessageContentBlock[],
  open: ReadonlySet<string>,
  at: string,
): string | undefined {
  const missing = new Set(open);
  for (const block of blocks) {
    if (block.type !== "tool_result") {
      continue;
    }
    if (!open.has(block.toolUseId)) {
      return `${at}: expected toolUseId to name a tool_use of the message before, got ${quote(block.toolUseId)}`;
    }
    if (!missing.delete(block.toolUseId)) {
      return `${at}: expected one tool_result per tool_use, got a second one for ${quote(block.toolUseId)}`;
    }
  }
  return missing.size === 0
    ? undefined
    : `Tool result missing in request: ${at} does not answer ${quoteAll(missing)} of the message before`;
}

function quoteAll(ids: ReadonlySet<string>): string {
  return [...ids].map(quote).join(", ");
}

function quote(id: string): string {
  return JSON.stringify(id);
}
