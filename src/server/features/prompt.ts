/**
 * A prompt as an author writes it: its blanks, and one function that fills them in.
 *
 * What a server makes of it is compile-prompt.ts. Specification: Server > Prompts.
 */
import type { ContentBlock } from "../../protocol/types/content.ts";
import type { GetPromptResult, PromptMessage } from "../../protocol/types/prompts.ts";
import type { SchemaOutput } from "../../schema/infer.ts";
import type { AcceptedSchema } from "../../schema/standard.ts";
import type { MaybePromise } from "../maybe.ts";
import type { Context } from "../requests/context.ts";
import type { Completers } from "./completer.ts";
import type { AccessRules, FeatureDescription } from "./feature.ts";

/** One blank of a prompt. Values are always text. */
export interface PromptBlank {
  title?: string | undefined;
  description?: string | undefined;
  /** Whether a prompt cannot be had without it. Default false. */
  required?: boolean | undefined;
}

/** The blanks by name, in the order they are shown. */
export type PromptBlanks = { readonly [name: string]: PromptBlank };

/** The values a prompt's function gets. */
export type PromptArgumentsOf<Args> = Args extends PromptBlanks
  ? {
      readonly [Name in keyof Args as Args[Name] extends { required: true } ? Name : never]: string;
    } & { readonly [Name in keyof Args as Args[Name] extends { required: true } ? never : Name]?: string }
  : Args extends AcceptedSchema
    ? SchemaOutput<Args>
    : Record<string, never>;

/** What a prompt may be: text or content from the user, messages, or a full result. */
export type PromptReturn = string | ContentBlock | readonly (string | ContentBlock | PromptMessage)[] | GetPromptResult;

/** Options of a prompt. */
export interface PromptOptions<Args = PromptBlanks | AcceptedSchema | undefined, Value = unknown>
  extends FeatureDescription,
    AccessRules<Value> {
  /** Its blanks: by name, or a schema of an object whose members are texts. */
  arguments?: Args;
  /** Suggests values. */
  complete?: Completers<string, Value> | undefined;
}

/** A prompt, ready to be put into any number of servers. Made by {@link prompt}. */
export interface PromptDefinition<Value = never> {
  readonly kind: "prompt";
  readonly options: PromptOptions<PromptBlanks | AcceptedSchema | undefined, Value>;
  readonly get: (args: never, ctx: Context<Value>) => MaybePromise<PromptReturn>;
}

/**
 * Makes a prompt.
 *
 * @param options - its blanks and description, and who may have it
 * @param get - gets the checked values; gives text, content or messages
 *
 * @example
 * ```ts
 * import { prompt } from "parley-mcp/server";
 *
 * export const review = prompt(
 *   { description: "Reviews code", arguments: { code: { required: true }, language: {} } },
 *   ({ code, language }) => `Review this ${language ?? "code"}:\n${code}`,
 * );
 * ```
 */
export function prompt<const Args extends PromptBlanks | AcceptedSchema | undefined = undefined, Value = unknown>(
  options: PromptOptions<Args, Value>,
  get: (args: PromptArgumentsOf<Args>, ctx: Context<Value>) => MaybePromise<PromptReturn>,
): PromptDefinition<NoInfer<Value>> {
  return { kind: "prompt", options, get };
}

/**
 * A message from the user.
 *
 * @example
 * ```ts
 * import { assistant, prompt, user } from "parley-mcp/server";
 *
 * export const warmUp = prompt({}, () => [user("Hello"), assistant("Hello! What shall we do?")]);
 * ```
 */
export function user(content: string | ContentBlock): PromptMessage {
  return { role: "user", content: typeof content === "string" ? { type: "text", text: content } : content };
}

/**
 * A message from the assistant.
 *
 * @example
 * ```ts
 * import { assistant } from "parley-mcp/server";
 *
 * assistant("Hello! What shall we do?");
 * ```
 */
export function assistant(content: string | ContentBlock): PromptMessage {
  return { role: "assistant", content: typeof content === "string" ? { type: "text", text: content } : content };
}
