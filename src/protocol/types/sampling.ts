/**
 * Sampling: a server asking the client's model for a message. How tool uses and tool results must be
 * balanced is `protocol/sampling-balance.ts`, how a model is chosen `protocol/model-preferences.ts`.
 */
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { SamplingMessageContentBlock } from "./content.ts";
import type { FinalResult, TaskAugmentedRequestParams } from "./message.ts";
import type { MetaObject, Role } from "./metadata.ts";
import type { Tool } from "./tool.ts";

/** One turn of the conversation; a single block and a list of blocks are both allowed. Specification: Client > Sampling > Data Types. */
export interface SamplingMessage {
  role: Role;
  content: SamplingMessageContentBlock | SamplingMessageContentBlock[];
  _meta?: MetaObject;
}

/** A wish for a model, as part of its name. Specification: Client > Sampling > Model Preferences. */
export interface ModelHint {
  name?: string;
}

/** Advice on which model to use; hints come before priorities. Specification: Client > Sampling > Model Preferences. */
export interface ModelPreferences {
  /** Evaluated in order, the first match wins. */
  hints?: ModelHint[];
  /** From 0 (does not matter) to 1 (matters most). */
  costPriority?: number;
  /** From 0 (does not matter) to 1 (matters most). */
  speedPriority?: number;
  /** From 0 (does not matter) to 1 (matters most). */
  intelligencePriority?: number;
}

/** Whether the model may, must or must not use tools; absent means `auto`. Specification: Client > Sampling > Tool Choice Modes. */
export interface ToolChoice {
  mode?: "auto" | "required" | "none";
}

/** Params of `sampling/createMessage`. Specification: Client > Sampling > Creating Messages. */
export interface CreateMessageRequestParams extends TaskAugmentedRequestParams {
  messages: SamplingMessage[];
  /** The most tokens to produce; the client may stop earlier. */
  maxTokens: number;
  modelPreferences?: ModelPreferences;
  systemPrompt?: string;
  includeContext?: "none" | "thisServer" | "allServers";
  temperature?: number;
  stopSequences?: string[];
  /** Passed on to the model's provider, whose format it has. */
  metadata?: JsonObject;
  tools?: Tool[];
  toolChoice?: ToolChoice;
}

/** Why the model stopped; providers may add their own words. Specification: Client > Sampling > Creating Messages. */
export type StopReason = "endTurn" | "stopSequence" | "maxTokens" | "toolUse" | (string & {});

/** What the model said. Specification: Client > Sampling > Creating Messages. */
export interface CreateMessageResult extends FinalResult {
  role: Role;
  content: SamplingMessageContentBlock | SamplingMessageContentBlock[];
  /** The model that was used. */
  model: string;
  stopReason?: StopReason;
}
