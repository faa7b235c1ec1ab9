/** Entry "parley-mcp/server": defining and serving servers. */

export { checkPathValue, isSafePathValue, type PathShape } from "../protocol/path-value.ts";
export { parseUriTemplate, type UriTemplate } from "../protocol/uri-template.ts";
export {
  createUriTemplateMatcher,
  type UriTemplateMatch,
  type UriTemplateMatcher,
} from "../protocol/uri-template-match.ts";
export type { TaskEvent, TaskEventKind } from "../tasks/events.ts";
export type { TaskLimits } from "../tasks/limits.ts";
export type { RequestStateOptions } from "./asking/request-state-options.ts";
export type { ToolLoopOptions, ToolLoopResult } from "./asking/tool-loop.ts";
export { runToolLoop } from "./asking/tool-loop.ts";
export type { FeatureMakers, ToolMap } from "./define.ts";
export { defineServer, withContext } from "./define.ts";
export type { CachedMethod, CacheHint, CacheHints } from "./features/cache-hints.ts";
export type { Completer, Completers, CompletionContext, Suggestions } from "./features/completer.ts";
export type { ContentOptions, EmbedInput } from "./features/content.ts";
export { audio, embed, error, image, link, text } from "./features/content.ts";
export type { AccessRules, FeatureDescription } from "./features/feature.ts";
export type { Mountable, PromptItem, ResourceItem, ServerSources, TemplateItem, ToolItem } from "./features/item.ts";
export type {
  PromptArgumentsOf,
  PromptBlank,
  PromptBlanks,
  PromptDefinition,
  PromptOptions,
  PromptReturn,
} from "./features/prompt.ts";
export { assistant, prompt, user } from "./features/prompt.ts";
export type {
  BytesContents,
  ResourceDefinition,
  ResourceOptions,
  ResourcePart,
  ResourceReturn,
  TemplateDefinition,
  TemplateOptions,
  TemplateVariables,
} from "./features/resource.ts";
export { resource, template } from "./features/resource.ts";
export type {
  ToolArgumentsOf,
  ToolDefinition,
  ToolOptions,
  ToolResult,
  ToolReturn,
  ToolTypesOf,
  TypesOfTool,
} from "./features/tool.ts";
export { tool } from "./features/tool.ts";
export type { Registrations } from "./lists/registry.ts";
export type { Source, SourcePage } from "./lists/source.ts";
export type { Log, LogEntry, LoggingOptions } from "./logging/log.ts";
export { redactSecrets } from "./logging/redact.ts";
export type { MaybePromise } from "./maybe.ts";
export type { Middleware, Next, ServerMessage } from "./middleware.ts";
export type { ErrorDetails, IncomingRequest, ServerOptions } from "./options.ts";
export type {
  ClientDetails,
  Context,
  ElicitOptions,
  ElicitOutcome,
  QuestionOptions,
  TaskQuestionOptions,
  UrlOutcome,
  UrlRequest,
} from "./requests/context.ts";
export type { CallRate, Limiter, LimitVerdict, ServerLimits } from "./requests/limits.ts";
export { perCaller } from "./requests/limits.ts";
export { Server } from "./server.ts";
export type { KeepAliveOptions, PipeOptions, ServeHandle, ServeOptions } from "./sessions/serve-options.ts";
export type { ServerSession } from "./sessions/session.ts";
export type { TaskHandle } from "./tasks/task-handle.ts";
export type { TaskOptions, TaskSupport, ToolTaskOptions } from "./tasks/task-options.ts";
