/**
 * Checks of sampling requests and answers. The balance of tool uses and results is a rule over the whole
 * conversation: `protocol/sampling-balance.ts`.
 */
import type { CheckOf } from "../check.ts";
import type {
  CreateMessageRequestParams,
  CreateMessageResult,
  ModelHint,
  ModelPreferences,
  SamplingMessage,
  ToolChoice,
} from "../types/sampling.ts";
import { samplingContentBlock } from "./content.ts";
import { requestMeta, role, taskMetadata } from "./metadata.ts";
import { tool } from "./tools.ts";

const modelHint: CheckOf<ModelHint> = { optional: { name: "string" } };

/** Specification: Client > Sampling > Model Preferences [SAMP-031]. */
const modelPreferences: CheckOf<ModelPreferences> = {
  optional: {
    hints: { each: modelHint },
    costPriority: { from: 0, to: 1 },
    speedPriority: { from: 0, to: 1 },
    intelligencePriority: { from: 0, to: 1 },
  },
};

const toolChoice: CheckOf<ToolChoice> = { optional: { mode: { choices: ["auto", "required", "none"] } } };

const samplingMessage: CheckOf<SamplingMessage> = {
  required: { role, content: { oneOrMany: samplingContentBlock } },
  optional: { _meta: "object" },
};

/** Specification: Client > Sampling > Creating Messages [SAMP-007, SAMP-008, SAMP-010, SAMP-011]. */
export const createMessageParams: CheckOf<CreateMessageRequestParams> = {
  required: { messages: { each: samplingMessage }, maxTokens: "integer" },
  optional: {
    _meta: requestMeta,
    modelPreferences,
    systemPrompt: "string",
    includeContext: { choices: ["none", "thisServer", "allServers"] },
    temperature: "number",
    stopSequences: { each: "string" },
    metadata: "object",
    tools: { each: tool },
    toolChoice,
    task: taskMetadata,
  },
};

/** Specification: Client > Sampling > Creating Messages [SAMP-012, SAMP-013]. */
export const createMessageResult: CheckOf<CreateMessageResult> = {
  required: { role, content: { oneOrMany: samplingContentBlock }, model: "string" },
  optional: { _meta: "object", stopReason: "string" },
};
