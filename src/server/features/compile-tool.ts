/**
 * A tool made ready to be served: schemas compiled, hints and names checked, all of it once, at registration.
 *
 * Calling stays in this turn of the event loop as long as schema and handler do.
 */
import { isAbortOf } from "../../base/abort.ts";
import type { OnDiagnostic } from "../../base/diagnostic.ts";
import { UsageError } from "../../base/error.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import { readHeaderAnnotations } from "../../protocol/tool-headers.ts";
import { checkToolName } from "../../protocol/tool-name.ts";
import type { Tool, ToolAnnotations } from "../../protocol/types/tool.ts";
import type { CallToolResult } from "../../protocol/types/tools.ts";
import { describeIssues } from "../../schema/issue.ts";
import type { ArgumentSchema } from "../../schema/parse.ts";
import type { AcceptedSchema } from "../../schema/standard.ts";
import { adviseOnHeaders, adviseOnHints, adviseOnText } from "../advice.ts";
import { attempt, type MaybePromise, whenDone } from "../maybe.ts";
import { assertScopes } from "../requests/access.ts";
import type { AnyContext } from "../requests/context.ts";
import { RequestContext } from "../requests/request-context.ts";
import { isMissingCapability, isScopeMissing, isUrlRequired } from "../requests/sent-error.ts";
import { type ResolvedToolTask, resolveToolTask } from "../tasks/task-options.ts";
import type { AccessRules } from "./feature.ts";
import type { ToolItem } from "./item.ts";
import { assertMade, assertNoProblem, checkDescription, prepareSchema, toWireDescription } from "./registration.ts";
import type { ToolDefinition } from "./tool.ts";
import {
  isFullResult,
  isToolError,
  type Render,
  toFailure,
  toFreeResult,
  toFullResult,
  toSentForm,
  toStructuredResult,
  toToolFailure,
} from "./tool-result.ts";

/** What a tool needs to know of the server it is in. */
export interface ToolHost {
  readonly maskErrors: boolean;
  /** Told of what is allowed and likely not meant; `undefined` where nobody asked for advice. */
  readonly onAdvice?: OnDiagnostic | undefined;
  /** Reports what was thrown, other than a tool's own error. */
  onError(error: unknown, name: string): void;
}

const noArguments: AcceptedSchema = { type: "object", additionalProperties: false };

/**
 * Prepares a tool.
 *
 * @throws UsageError that names the tool, what is wrong with it and what to do
 */
export function compileTool(name: string, definition: ToolDefinition, host: ToolHost): ToolItem {
  assertMade("tool", name, definition);
  const { options, handler } = definition;
  const what = `tool ${JSON.stringify(name)}`;
  if (typeof handler !== "function") {
    throw new UsageError(
      `${what}: expected a function as handler, got ${typeof handler}; write tool(options, handler)`,
    );
  }
  assertNoProblem(what, checkToolName(name), checkDescription(options), checkHints(options.annotations));
  const represent = options.represent === undefined ? undefined : { represent: options.represent };
  if (options.input === null || options.output === null) {
    throw new UsageError(`${what}: expected a schema or none, got null; leave it out for a tool without one`);
  }
  const input = prepareSchema(`${what}, input`, options.input ?? noArguments, {
    open: options.open ?? false,
    ...represent,
  });
  const output =
    options.output === undefined
      ? undefined
      : prepareSchema(`${what}, output`, options.output, { side: "output", ...represent });
  const mirrored = readHeaderAnnotations(input.jsonSchema);
  if (!mirrored.ok) {
    throw new UsageError(`${what}: ${mirrored.problem}`);
  }
  const { annotations, scopes, allow } = options;
  const task = readTask(what, options.task);
  const wire: Tool = {
    name,
    ...toWireDescription(options),
    inputSchema: input.jsonSchema as Tool["inputSchema"],
    ...(output === undefined ? undefined : { outputSchema: output.jsonSchema }),
    ...(annotations === undefined ? undefined : { annotations: annotations as ToolAnnotations }),
    ...(task === undefined ? undefined : { execution: { taskSupport: task.support } }),
  };
  if (host.onAdvice !== undefined) {
    adviseOnHints(host.onAdvice, name, wire.annotations);
    adviseOnHeaders(host.onAdvice, name, mirrored.annotations);
  }
  const run: Run = { name, input, output, handler, host, render: options.render as Render | undefined };
  const access = { scopes, allow };
  return { wire, access, headers: mirrored.annotations, task, call: (args, ctx) => call(run, access, args, ctx) };
}

function readTask(what: string, task: ToolDefinition["options"]["task"]): ResolvedToolTask | undefined {
  try {
    return resolveToolTask(task);
  } catch (error) {
    throw error instanceof UsageError ? new UsageError(`${what}, ${error.message}`, { cause: error }) : error;
  }
}

/** A prepared tool without what only lists show. */
interface Run {
  readonly name: string;
  readonly input: ArgumentSchema;
  readonly output: ArgumentSchema | undefined;
  readonly handler: ToolDefinition["handler"];
  readonly host: ToolHost;
  readonly render: Render | undefined;
}

function call(run: Run, access: AccessRules<never>, args: JsonObject, ctx: AnyContext): MaybePromise<CallToolResult> {
  assertScopes(access, `tool ${JSON.stringify(run.name)}`, ctx);
  const { name, input, handler } = run;
  return attempt(
    () =>
      whenDone(input.parse(args), (parsed) =>
        parsed.ok
          ? whenDone(handler(parsed.value as never, ctx), (value) => toAdvisedResult(run, value))
          : toFailure(`${name}: ${describeIssues(parsed.issues)}`),
      ),
    (error) => toFailedResult(run, error, ctx),
  );
}

function toAdvisedResult(run: Run, value: unknown): MaybePromise<CallToolResult> {
  const { name, host } = run;
  const { onAdvice } = host;
  const result = toResult(run, value);
  if (onAdvice === undefined) {
    return result;
  }
  return whenDone(result, (made) => {
    adviseOnText(onAdvice, name, made);
    return made;
  });
}

function toResult(run: Run, value: unknown): MaybePromise<CallToolResult> {
  const { name, output, render } = run;
  if (isToolError(value)) {
    return toToolFailure(value);
  }
  if (output === undefined) {
    return toFreeResult(value instanceof Date ? value.toJSON() : toSentForm(value), render);
  }
  const full = isFullResult(value) ? value : undefined;
  if (full?.isError === true) {
    return toFullResult(full, render);
  }
  return whenDone(output.parse(toSentForm(full === undefined ? value : full.structuredContent)), (parsed) => {
    if (!parsed.ok) {
      throw new UsageError(`${name}: the result does not fit the output schema: ${describeIssues(parsed.issues)}`);
    }
    return full === undefined
      ? toStructuredResult(parsed.value, render)
      : toFullResult({ ...full, structuredContent: parsed.value }, render);
  });
}

/** Design: whatever is thrown in a tool is told to the model, except what the client itself must act on [TOOL-017]. */
function toFailedResult({ name, host }: Run, error: unknown, ctx: AnyContext): CallToolResult {
  if (isToolError(error)) {
    return toToolFailure(error);
  }
  if (isAbortOf(ctx.signal, error)) {
    throw ctx.signal.reason;
  }
  if (isUrlRequired(error) || isScopeMissing(error) || mustReachClient(error, ctx)) {
    throw error;
  }
  host.onError(error, name);
  if (host.maskErrors) {
    return toFailure(`${name} failed`);
  }
  return toFailure(messageOf(error) || `${name} failed`);
}

/** What was thrown, in its own words; empty where it has none. */
function messageOf(error: unknown): string {
  const message: unknown = error instanceof Error ? error.message : error;
  return typeof message === "string" ? message : "";
}

/** Where requests stand for themselves, the client learns what it must declare, and what was begun may be asked first. */
function mustReachClient(error: unknown, ctx: AnyContext): boolean {
  return (
    ctx instanceof RequestContext &&
    (ctx.scope.rounds?.isSuspended === true || (ctx.scope.isStateless && isMissingCapability(error)))
  );
}

/** Types forbid contradictory hints; this is for those who write without types [PP-070]. */
function checkHints(hints: ToolAnnotations | undefined): string | undefined {
  if (hints?.readOnlyHint !== true) {
    return undefined;
  }
  if (hints.destructiveHint === true) {
    return "annotations: readOnlyHint and destructiveHint are both true, but what changes nothing destroys nothing; drop one";
  }
  return hints.idempotentHint === false
    ? "annotations: readOnlyHint is true and idempotentHint false, but reading again adds nothing; drop one"
    : undefined;
}
