/** A prompt made ready to be served: blanks checked at registration, values before the author's function sees them. */
import { UsageError } from "../../base/error.ts";
import { isObject } from "../../base/json.ts";
import { findMismatch } from "../../protocol/check.ts";
import { exactContentBlock } from "../../protocol/checks/content.ts";
import { InvalidParamsError } from "../../protocol/errors.ts";
import type { GetPromptResult, Prompt, PromptArgument, PromptMessage } from "../../protocol/types/prompts.ts";
import { describeIssues } from "../../schema/issue.ts";
import { nearest } from "../../schema/nearest.ts";
import type { ArgumentSchema } from "../../schema/parse.ts";
import { type AcceptedSchema, isStandardSchema } from "../../schema/standard.ts";
import { type MaybePromise, whenDone } from "../maybe.ts";
import type { AnyContext } from "../requests/context.ts";
import type { Completers } from "./completer.ts";
import type { PromptItem } from "./item.ts";
import { type PromptBlanks, type PromptDefinition, type PromptReturn, user } from "./prompt.ts";
import { assertMade, assertNoProblem, checkDescription, prepareSchema, toWireDescription } from "./registration.ts";

/** Prepares a prompt. */
export function compilePrompt(name: string, definition: PromptDefinition): PromptItem {
  assertMade("prompt", name, definition);
  const { options, get } = definition;
  const what = `prompt ${JSON.stringify(name)}`;
  if (typeof get !== "function") {
    throw new UsageError(`${what}: expected a function that fills it in, got ${typeof get}`);
  }
  const { arguments: given, complete = {}, scopes, allow } = options;
  const schema = isSchema(given) ? prepareSchema(`${what}, arguments`, given, {}) : undefined;
  const blanks = schema === undefined ? toBlanks(given as PromptBlanks | undefined) : blanksOf(schema);
  const names = blanks.map((blank) => blank.name);
  const stray = Object.keys(complete).find((argument) => !names.includes(argument));
  assertNoProblem(
    what,
    name === "" ? "expected a name, got an empty one" : undefined,
    checkDescription(options),
    stray === undefined
      ? undefined
      : `complete: ${JSON.stringify(stray)} is none of its arguments (${names.join(", ")})`,
  );
  const wire: Prompt = {
    name,
    ...toWireDescription(options),
    ...(blanks.length === 0 ? undefined : { arguments: blanks }),
  };
  const fill = (args: unknown, ctx: AnyContext): MaybePromise<GetPromptResult> =>
    whenDone(get(args as never, ctx), (value) => toPromptResult(name, value));
  return {
    wire,
    access: { scopes, allow },
    completers: complete as Completers<string, never>,
    get: (args, ctx) => {
      assertKnown(name, args, names);
      if (schema === undefined) {
        assertFilled(name, args, blanks);
        return fill(args, ctx);
      }
      return whenDone(schema.parse(args), (parsed) => {
        if (!parsed.ok) {
          throw new InvalidParamsError(`prompt ${JSON.stringify(name)}: ${describeIssues(parsed.issues)}`);
        }
        return fill(parsed.value, ctx);
      });
    },
  };
}

function isSchema(given: PromptBlanks | AcceptedSchema | undefined): given is AcceptedSchema {
  return isStandardSchema(given) || (given !== undefined && typeof (given as { type?: unknown }).type === "string");
}

function toBlanks(given: PromptBlanks = {}): PromptArgument[] {
  return Object.entries(given).map(([name, { title, description, required }]) => ({
    name,
    ...(title === undefined ? undefined : { title }),
    ...(description === undefined ? undefined : { description }),
    ...(required === undefined ? undefined : { required }),
  }));
}

function blanksOf({ jsonSchema }: ArgumentSchema): PromptArgument[] {
  const { properties, required } = jsonSchema;
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  return Object.entries(isObject(properties) ? properties : {}).map(([name, member]) => ({
    name,
    ...(isObject(member) && typeof member.title === "string" ? { title: member.title } : undefined),
    ...(isObject(member) && typeof member.description === "string" ? { description: member.description } : undefined),
    required: needed.includes(name),
  }));
}

function assertKnown(name: string, args: object, known: readonly string[]): void {
  const unknown = Object.keys(args).find((argument) => !known.includes(argument));
  if (unknown !== undefined) {
    const close = nearest(unknown, known);
    const hint =
      close === undefined ? `it takes ${known.join(", ") || "none"}` : `Did you mean ${JSON.stringify(close)}?`;
    throw new InvalidParamsError(`prompt ${JSON.stringify(name)} has no argument ${JSON.stringify(unknown)}. ${hint}`);
  }
}

function assertFilled(name: string, args: Readonly<Record<string, string>>, blanks: readonly PromptArgument[]): void {
  const missing = blanks.filter((blank) => blank.required === true && args[blank.name] === undefined);
  if (missing.length > 0) {
    const names = missing.map((blank) => JSON.stringify(blank.name)).join(", ");
    throw new InvalidParamsError(`prompt ${JSON.stringify(name)} needs the argument ${names}`);
  }
}

function toPromptResult(name: string, value: PromptReturn): GetPromptResult {
  const isFull = isObject(value) && "messages" in value;
  const result = isFull
    ? (value as GetPromptResult)
    : { messages: toMessages(value as Exclude<PromptReturn, GetPromptResult>) };
  const check = { required: { messages: { each: messageCheck } } } as const;
  const problem = findMismatch(check, result, `prompt ${JSON.stringify(name)}`);
  if (problem !== undefined) {
    throw new UsageError(problem);
  }
  return result;
}

/** Stricter than for what peers send: base64 and MIME types are checked [PROMPT-004, PROMPT-006, PROMPT-007]. */
const messageCheck = {
  required: { role: { choices: ["user", "assistant"] }, content: exactContentBlock },
} as const;

function toMessages(value: Exclude<PromptReturn, GetPromptResult>): PromptMessage[] {
  const parts = Array.isArray(value) ? value : [value];
  return parts.map((part) => (isMessage(part) ? part : user(part)));
}

function isMessage(part: unknown): part is PromptMessage {
  return isObject(part) && "role" in part;
}
