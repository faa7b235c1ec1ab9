/**
 * Prompts: message templates a person picks and fills in.
 */
import type { CacheableResult } from "./cache.ts";
import type { ContentBlock } from "./content.ts";
import type { InputResponseRequestParams } from "./input.ts";
import type { FinalResult, PaginatedResult } from "./message.ts";
import type { BaseMetadata, Icons, MetaObject, Role } from "./metadata.ts";

/** A blank in a prompt. Specification: Server > Prompts > Data Types. */
export interface PromptArgument extends BaseMetadata {
  description?: string;
  /** Absent means optional. */
  required?: boolean;
}

/** A prompt a server offers. Specification: Server > Prompts > Data Types. */
export interface Prompt extends BaseMetadata, Icons {
  description?: string;
  arguments?: PromptArgument[];
  _meta?: MetaObject;
}

/** One message of a filled-in prompt, with exactly one content block. Specification: Server > Prompts > Data Types. */
export interface PromptMessage {
  role: Role;
  content: ContentBlock;
}

/** Result of `prompts/list`. Specification: Server > Prompts > Listing Prompts. */
export interface ListPromptsResult extends PaginatedResult, CacheableResult {
  prompts: Prompt[];
}

/** Params of `prompts/get`; argument values are always strings. Specification: Server > Prompts > Getting a Prompt. */
export interface GetPromptRequestParams extends InputResponseRequestParams {
  name: string;
  arguments?: { [name: string]: string };
}

/** Result of `prompts/get`. Specification: Server > Prompts > Getting a Prompt. */
export interface GetPromptResult extends FinalResult {
  description?: string;
  messages: PromptMessage[];
}
