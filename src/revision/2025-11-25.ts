/**
 * Difference from 2025-06-18: tasks, tools in sampling, URL elicitation and richer forms, icons, descriptions of
 * implementations, and streams that the server may end early.
 */
import { isObject } from "../base/json.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import { eachContent } from "./content-steps.ts";
import type { Difference } from "./difference.ts";
import { formOfPlainFields } from "./form-steps.ts";
import { chain, drop, inEach, type Step, within } from "./shape.ts";

const withoutIcons: Step = /* @__PURE__ */ drop("icons");
const implementation: Step = /* @__PURE__ */ drop("icons", "description", "websiteUrl");
const linkWithoutIcons: Step = (block) => (block.type === "resource_link" ? withoutIcons(block) : block);

/** Several blocks in one message become several messages of the same role; `_meta` of a message is new. */
const messagesOfOneBlock: Step = (params) => {
  if (!Array.isArray(params.messages)) {
    return params;
  }
  const messages = params.messages.flatMap((message: unknown) => {
    if (!isObject(message)) {
      return [message];
    }
    const { _meta, content, ...rest } = message;
    return (Array.isArray(content) ? content : [content]).map((block: unknown) => ({ ...rest, content: block }));
  });
  return { ...params, messages };
};

/** A result of several blocks becomes one: the only one, or their texts together. */
const resultOfOneBlock: Step = (result) => {
  const { content } = result;
  if (!Array.isArray(content)) {
    return result;
  }
  const texts = content.filter((block): block is JsonObject => isObject(block) && block.type === "text");
  const joined = { type: "text", text: texts.map((block) => String(block.text)).join("\n") };
  return { ...result, content: content.length === 1 ? content[0] : joined };
};

const clientCapabilities: Step = /* @__PURE__ */ chain(
  drop("tasks"),
  (capabilities) => (isObject(capabilities.sampling) ? { ...capabilities, sampling: {} } : capabilities),
  (capabilities) => (isObject(capabilities.elicitation) ? { ...capabilities, elicitation: {} } : capabilities),
);

export const revision20251125: Difference = {
  id: "2025-11-25",
  traits: { polling: true, tasks: "core" },
  adds: {
    server: ["tasks/get", "tasks/result", "tasks/list", "tasks/cancel", "notifications/tasks/status"],
    client: [
      "tasks/get",
      "tasks/result",
      "tasks/list",
      "tasks/cancel",
      "notifications/tasks/status",
      "notifications/elicitation/complete",
    ],
  },
  downgrade: {
    params: {
      initialize: chain(within("clientInfo", implementation), within("capabilities", clientCapabilities)),
      "tools/call": drop("task"),
      "sampling/createMessage": chain(drop("task", "tools", "toolChoice"), messagesOfOneBlock),
      "elicitation/create": chain(drop("mode", "task"), within("requestedSchema", formOfPlainFields)),
    },
    results: {
      initialize: chain(within("serverInfo", implementation), within("capabilities", drop("tasks"))),
      "tools/list": inEach("tools", drop("icons", "execution")),
      "tools/call": eachContent("content", linkWithoutIcons),
      "resources/list": inEach("resources", withoutIcons),
      "resources/templates/list": inEach("resourceTemplates", withoutIcons),
      "prompts/list": inEach("prompts", withoutIcons),
      "prompts/get": inEach("messages", eachContent("content", linkWithoutIcons)),
      "sampling/createMessage": resultOfOneBlock,
    },
  },
};
