/**
 * Checks of prompts. Whether the arguments a prompt requires are there is for the server.
 */
import type { CheckOf } from "../check.ts";
import type {
  GetPromptRequestParams,
  GetPromptResult,
  ListPromptsResult,
  Prompt,
  PromptArgument,
  PromptMessage,
} from "../types/prompts.ts";
import { contentBlock } from "./content.ts";
import { icon, page, requestMeta, role } from "./metadata.ts";

const promptArgument: CheckOf<PromptArgument> = {
  required: { name: "string" },
  optional: { title: "string", description: "string", required: "boolean" },
};

/** Specification: Server > Prompts > Data Types [PROMPT-002]. */
const prompt: CheckOf<Prompt> = {
  required: { name: "string" },
  optional: {
    title: "string",
    description: "string",
    arguments: { each: promptArgument },
    icons: { each: icon },
    _meta: "object",
  },
};

/** Specification: Server > Prompts > Listing Prompts [PROMPT-002]. */
export const listPromptsResult: CheckOf<ListPromptsResult> = {
  required: { prompts: { each: prompt } },
  optional: page,
};

/** Specification: Server > Prompts > Getting a Prompt [PROMPT-003]. */
export const getPromptParams: CheckOf<GetPromptRequestParams> = {
  required: { name: "string" },
  optional: {
    _meta: requestMeta,
    arguments: { values: "string" },
    inputResponses: { values: "object" },
    requestState: "string",
  },
};

const promptMessage: CheckOf<PromptMessage> = { required: { role, content: contentBlock } };

/** Specification: Server > Prompts > Getting a Prompt [PROMPT-004]. */
export const getPromptResult: CheckOf<GetPromptResult> = {
  required: { messages: { each: promptMessage } },
  optional: { _meta: "object", description: "string" },
};
