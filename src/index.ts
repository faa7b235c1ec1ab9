/** Entry ".": protocol types, error classes and constants, with a few pure questions about them. Opens nothing, runs nothing. */
export type { Diagnostic, OnDiagnostic } from "./base/diagnostic.ts";
export {
  ClosedError,
  HttpError,
  isMcpError,
  McpError,
  type McpErrorOptions,
  PeerError,
  TimeoutError,
  type TimeoutLimit,
  UsageError,
} from "./base/error.ts";
export type { Clock } from "./base/timer.ts";
export { RpcError, type RpcErrorOptions, rpcCodes } from "./jsonrpc/error.ts";
export type {
  JsonObject,
  JsonRpcErrorObject,
  JsonRpcErrorResponse,
  JsonRpcMessage,
  JsonRpcNotification,
  JsonRpcRequest,
  JsonRpcResponse,
  JsonRpcResultResponse,
  JsonValue,
  RequestId,
} from "./jsonrpc/message.ts";
export { MessageTooLargeError } from "./jsonrpc/too-large.ts";
export {
  filterByAudience,
  sortByAnnotation,
  type ToolHints,
  toDisplayName,
  toEffectiveHints,
} from "./protocol/annotations.ts";
export {
  AuthorizationError,
  type AuthorizationErrorDetails,
  AuthorizationRequiredError,
  type AuthorizationStage,
  InsufficientScopeError,
} from "./protocol/authorization-errors.ts";
export {
  type ErrorCode,
  HeaderMismatchError,
  InvalidParamsError,
  type KnownError,
  MethodNotFoundError,
  MissingCapabilityError,
  mcpCodes,
  ResourceNotFoundError,
  SessionExpiredError,
  ToolError,
  UnsupportedRevisionError,
  UrlElicitationRequiredError,
} from "./protocol/errors.ts";
export { iconMimeTypes, parseIcon, pickIcon } from "./protocol/icons.ts";
export { metaKeys } from "./protocol/meta.ts";
export { isReservedMetaKey, parseMetaKey } from "./protocol/meta-key.ts";
export type { ClientNotifications, ClientRequests, ServerNotifications, ServerRequests } from "./protocol/methods.ts";
export { chooseModel, type ModelOption } from "./protocol/model-preferences.ts";
export type { Progress, RequestOptions } from "./protocol/outgoing.ts";
export { parseResourceUri } from "./protocol/resource-uri.ts";
export { isWithinRoots } from "./protocol/roots.ts";
export { checkToolName } from "./protocol/tool-name.ts";
export type { AuthInfo } from "./protocol/types/auth.ts";
export type { CacheableResult, CacheScope } from "./protocol/types/cache.ts";
export type {
  CompleteRequestParams,
  CompleteResult,
  PromptReference,
  ResourceTemplateReference,
} from "./protocol/types/completion.ts";
export type {
  AudioContent,
  ContentBlock,
  EmbeddedResource,
  ImageContent,
  ResourceLink,
  SamplingMessageContentBlock,
  TextContent,
  ToolResultContent,
  ToolUseContent,
} from "./protocol/types/content.ts";
export type {
  Definition,
  DefinitionTypes,
  ToolArguments,
  ToolName,
  ToolOutput,
  ToolTypes,
  TypesOf,
} from "./protocol/types/definition.ts";
export type {
  BooleanSchema,
  ElicitationCompleteNotificationParams,
  ElicitContent,
  ElicitRequestFormParams,
  ElicitRequestParams,
  ElicitRequestURLParams,
  ElicitResult,
  EnumSchema,
  LegacyTitledEnumSchema,
  NumberSchema,
  PrimitiveSchemaDefinition,
  RequestedSchema,
  StringSchema,
  TitledMultiSelectEnumSchema,
  TitledOption,
  TitledSingleSelectEnumSchema,
  UntitledMultiSelectEnumSchema,
  UntitledSingleSelectEnumSchema,
} from "./protocol/types/elicitation.ts";
export type {
  InputRequest,
  InputRequests,
  InputRequiredResult,
  InputResponse,
  InputResponseRequestParams,
  InputResponses,
} from "./protocol/types/input.ts";
export type {
  ClientCapabilities,
  ClientTasksCapability,
  DiscoverResult,
  InitializeRequestParams,
  InitializeResult,
  ServerCapabilities,
  ServerTasksCapability,
} from "./protocol/types/lifecycle.ts";
export type {
  LoggingLevel,
  LoggingMessageNotificationParams,
  SetLevelRequestParams,
} from "./protocol/types/logging.ts";
export type {
  CancelledNotificationParams,
  EmptyResult,
  FinalResult,
  NotificationParams,
  PaginatedRequestParams,
  PaginatedResult,
  ProgressNotificationParams,
  RequestParams,
  Result,
  ResultType,
  TaskAugmentedRequestParams,
  TaskMetadata,
} from "./protocol/types/message.ts";
export type {
  Annotations,
  BaseMetadata,
  Cursor,
  Icon,
  Icons,
  Implementation,
  MetaObject,
  NotificationMetaObject,
  ProgressToken,
  RequestMetaObject,
  ResultMetaObject,
  Role,
} from "./protocol/types/metadata.ts";
export type {
  GetPromptRequestParams,
  GetPromptResult,
  ListPromptsResult,
  Prompt,
  PromptArgument,
  PromptMessage,
} from "./protocol/types/prompts.ts";
export type {
  BlobResourceContents,
  Resource,
  ResourceContents,
  ResourceTemplate,
  TextResourceContents,
} from "./protocol/types/resource.ts";
export type {
  ListResourcesResult,
  ListResourceTemplatesResult,
  ReadResourceRequestParams,
  ReadResourceResult,
  ResourceUpdatedNotificationParams,
  SubscribeRequestParams,
  UnsubscribeRequestParams,
} from "./protocol/types/resources.ts";
export type { ListRootsResult, Root } from "./protocol/types/roots.ts";
export type {
  CreateMessageRequestParams,
  CreateMessageResult,
  ModelHint,
  ModelPreferences,
  SamplingMessage,
  StopReason,
  ToolChoice,
} from "./protocol/types/sampling.ts";
export type {
  SubscriptionFilter,
  SubscriptionsAcknowledgedNotificationParams,
  SubscriptionsListenRequestParams,
  SubscriptionsListenResult,
  SubscriptionsListenResultMetaObject,
} from "./protocol/types/subscriptions.ts";
export type {
  CancelTaskRequestParams,
  CancelTaskResult,
  CoreTask,
  CreateCoreTaskResult,
  CreateTaskResult,
  DetailedTask,
  GetCoreTaskResult,
  GetTaskPayloadRequestParams,
  GetTaskPayloadResult,
  GetTaskRequestParams,
  GetTaskResult,
  ListTasksResult,
  RelatedTaskMetadata,
  Task,
  TaskNotificationParams,
  TaskStatus,
  TaskStatusNotificationParams,
  UpdateTaskRequestParams,
} from "./protocol/types/tasks.ts";
export type { Tool, ToolAnnotations, ToolExecution, ToolInputSchema, ToolOutputSchema } from "./protocol/types/tool.ts";
export type { CallToolRequestParams, CallToolResult, ListToolsResult } from "./protocol/types/tools.ts";
export type { HttpDetails } from "./revision/exchange.ts";
