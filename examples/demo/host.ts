// What a host brings to a client: a model, a person, and a place for log messages. Here all three are stand-ins, so that
// the walk needs no key and no keyboard; a real host shows every question to its user and calls a real model.

import type { CreateMessageRequestParams, CreateMessageResult } from "parley-mcp";
import { defineClient, type FormAnswer, type FormElicitation, type Middleware } from "parley-mcp/client";

/** The stand-ins, and what they saw. */
export interface Host {
  /** Log messages of the server, as text. */
  readonly logs: string[];
  /** Questions the person was asked. */
  readonly questions: string[];
  /** How many calls of tools went out: one is sent again with the answer where a question is a result. */
  calls: number;
  /** How the person answers the next question. */
  answer: (form: FormElicitation) => FormAnswer;
}

/** Makes a host that declines everything until it is told otherwise. */
export function createHost(): Host {
  return { logs: [], questions: [], calls: 0, answer: () => ({ action: "decline" }) };
}

/** The client of a host. */
export function createClient(host: Host) {
  const countCalls: Middleware = (next) => (message) => {
    host.calls += message.direction === "outgoing" && message.method === "tools/call" ? 1 : 0;
    return next(message);
  };
  return defineClient({
    name: "demo-host",
    version: "1.0.0",
    middleware: [countCalls],
    sampling: { createMessage: firstSentences, approveRequest: () => true },
    elicitation: {
      form: (form) => {
        host.questions.push(form.message);
        return host.answer(form);
      },
    },
    onLog: ({ level, data }) => {
      host.logs.push(`${level}: ${typeof data === "string" ? data : JSON.stringify(data)}`);
    },
  });
}

/** A model that can only repeat the first sentences of what it is given. */
function firstSentences({ messages }: CreateMessageRequestParams): CreateMessageResult {
  const blocks = messages.flatMap(({ content }) => content);
  const text = blocks.map((block) => (block.type === "text" ? block.text : "")).join("\n");
  const prose = text
    .split(/\n{2,}/)
    .filter((paragraph) => /^\p{L}/u.test(paragraph))
    .join(" ")
    .replaceAll(/\s+/g, " ");
  const sentences = prose.match(/[^.!?]+[.!?]+/g) ?? [prose];
  const summary = sentences.slice(0, 2).join("").trim() || "(nothing to summarise)";
  return {
    role: "assistant",
    content: { type: "text", text: summary },
    model: "first-sentences",
    stopReason: "endTurn",
  };
}
