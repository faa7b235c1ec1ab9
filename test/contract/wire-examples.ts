/**
 * One or more examples of the params and the result of every method with a handshake, as typed values:
 * that they compile proves the types, `types.test.ts` proves the rest.
 */
import type {
  ClientNotifications,
  ClientRequests,
  ServerNotifications,
  ServerRequests,
} from "../../src/protocol/methods.ts";
import type { SamplingMessageContentBlock } from "../../src/protocol/types/content.ts";
import type { PrimitiveSchemaDefinition } from "../../src/protocol/types/elicitation.ts";
import type { CoreTask } from "../../src/protocol/types/tasks.ts";
import type { Tool } from "../../src/protocol/types/tool.ts";

type Stateless = "server/discover" | "subscriptions/listen" | "tasks/update";
type StatelessNotification = "notifications/subscriptions/acknowledged" | "notifications/tasks";

type RequestTable = Omit<ServerRequests, Stateless> & ClientRequests;
type NotificationTable = Omit<ServerNotifications, StatelessNotification> & ClientNotifications;

const icons = [{ src: "https://a.example/i.png", mimeType: "image/png", sizes: ["48x48"], theme: "dark" as const }];
const annotations = { audience: ["user" as const], priority: 0.5, lastModified: "2025-01-12T15:00:58Z" };
const _meta = { "com.example/key": 1 };
const asking = { progressToken: "p1" };
const resource = {
  uri: "a:b",
  name: "r",
  title: "R",
  description: "d",
  mimeType: "text/plain",
  size: 3,
  icons,
  annotations,
  _meta,
};
const implementation = {
  name: "n",
  version: "1",
  title: "N",
  description: "d",
  websiteUrl: "https://a.example",
  icons,
};

const content = [
  { type: "text" as const, text: "t", annotations, _meta },
  { type: "image" as const, data: "AAAA", mimeType: "image/png", annotations, _meta },
  { type: "audio" as const, data: "AAAA", mimeType: "audio/wav" },
  { type: "resource_link" as const, ...resource },
  { type: "resource" as const, resource: { uri: "a:b", text: "t", mimeType: "text/plain", _meta }, annotations },
  { type: "resource" as const, resource: { uri: "a:b", blob: "AAAA" } },
];

const spoken: SamplingMessageContentBlock[] = [
  { type: "text", text: "t" },
  { type: "image", data: "AAAA", mimeType: "image/png" },
  { type: "audio", data: "AAAA", mimeType: "audio/wav" },
  { type: "tool_use", id: "1", name: "t", input: { a: 1 }, _meta },
  { type: "tool_result", toolUseId: "1", content, isError: false, _meta },
];

const tool: Tool = {
  name: "t",
  title: "T",
  description: "d",
  inputSchema: { type: "object" },
  outputSchema: { type: "object" },
  annotations: { title: "T", readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  execution: { taskSupport: "optional" },
  icons,
  _meta,
};

const fields: { [name: string]: PrimitiveSchemaDefinition } = {
  text: { type: "string", minLength: 1, maxLength: 9, format: "email", default: "a@b.example", title: "T" },
  number: { type: "number", minimum: 0, maximum: 9, default: 1, description: "d" },
  whole: { type: "integer" },
  flag: { type: "boolean", default: false },
  one: { type: "string", enum: ["a"], default: "a" },
  titled: { type: "string", oneOf: [{ const: "a", title: "A" }] },
  legacy: { type: "string", enum: ["a"], enumNames: ["A"] },
  many: { type: "array", items: { type: "string", enum: ["a"] }, minItems: 0, maxItems: 1, default: ["a"] },
  titledMany: { type: "array", items: { anyOf: [{ const: "a", title: "A" }] } },
};

const task: CoreTask = {
  taskId: "1",
  status: "working",
  statusMessage: "m",
  createdAt: "2025-01-12T15:00:58Z",
  lastUpdatedAt: "2025-01-12T15:00:58Z",
  ttl: 60_000,
  pollInterval: 500,
};

const listing = { _meta: asking, cursor: "c" };
const page = { nextCursor: "c", _meta };

/** Params by request. */
export const requestParams: { readonly [M in keyof RequestTable]: readonly RequestTable[M]["params"][] } = {
  ping: [{ _meta: { progressToken: 7 } }],
  initialize: [
    {
      protocolVersion: "2025-11-25",
      capabilities: {
        experimental: { a: {} },
        roots: { listChanged: true },
        sampling: { context: {}, tools: {} },
        elicitation: { form: {}, url: {} },
        tasks: { list: {}, cancel: {}, requests: { sampling: { createMessage: {} }, elicitation: { create: {} } } },
      },
      clientInfo: implementation,
    },
  ],
  "tools/list": [listing],
  "tools/call": [{ name: "t", arguments: { a: 1 }, task: { ttl: 1 }, _meta: asking }],
  "resources/list": [listing],
  "resources/templates/list": [listing],
  "resources/read": [{ uri: "a:b", _meta: asking }],
  "resources/subscribe": [{ uri: "a:b" }],
  "resources/unsubscribe": [{ uri: "a:b" }],
  "prompts/list": [listing],
  "prompts/get": [{ name: "p", arguments: { a: "x" } }],
  "completion/complete": [
    { ref: { type: "ref/prompt", name: "p" }, argument: { name: "a", value: "v" }, context: { arguments: { b: "c" } } },
    { ref: { type: "ref/resource", uri: "a:{b}" }, argument: { name: "a", value: "v" } },
  ],
  "logging/setLevel": [{ level: "warning" }],
  "sampling/createMessage": [
    {
      messages: [
        { role: "user", content: { type: "text", text: "t" }, _meta },
        { role: "assistant", content: spoken },
      ],
      maxTokens: 10,
      modelPreferences: { hints: [{ name: "m" }], costPriority: 0, speedPriority: 0.5, intelligencePriority: 1 },
      systemPrompt: "s",
      includeContext: "none",
      temperature: 0.5,
      stopSequences: ["s"],
      metadata: { a: 1 },
      tools: [tool],
      toolChoice: { mode: "auto" },
      task: {},
    },
  ],
  "elicitation/create": [
    { message: "m", requestedSchema: { type: "object", properties: fields, required: ["text"], $schema: "s" } },
    { mode: "url", message: "m", url: "https://a.example", elicitationId: "1" },
  ],
  "roots/list": [{ _meta: asking }],
  "tasks/get": [{ taskId: "1" }],
  "tasks/cancel": [{ taskId: "1" }],
  "tasks/result": [{ taskId: "1" }],
  "tasks/list": [listing],
};

/** Results by request. */
export const results: { readonly [M in keyof RequestTable]: readonly RequestTable[M]["result"][] } = {
  ping: [{ _meta }],
  initialize: [
    {
      protocolVersion: "2025-11-25",
      capabilities: {
        experimental: { a: {} },
        logging: {},
        completions: {},
        prompts: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        tools: { listChanged: true },
        tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } },
      },
      serverInfo: implementation,
      instructions: "i",
    },
  ],
  "tools/list": [{ tools: [tool], ...page }],
  "tools/call": [{ content, structuredContent: { a: 1 }, isError: false, _meta }],
  "resources/list": [{ resources: [resource], ...page }],
  "resources/templates/list": [
    { resourceTemplates: [{ uriTemplate: "a:{b}", name: "t", icons, annotations }], ...page },
  ],
  "resources/read": [
    {
      contents: [
        { uri: "a:b", text: "t" },
        { uri: "a:b", blob: "AAAA", mimeType: "image/png" },
      ],
    },
  ],
  "resources/subscribe": [{ _meta }],
  "resources/unsubscribe": [{ _meta }],
  "prompts/list": [
    { prompts: [{ name: "p", arguments: [{ name: "a", title: "A", required: true }], icons }], ...page },
  ],
  "prompts/get": [{ description: "d", messages: content.map((block) => ({ role: "user", content: block })) }],
  "completion/complete": [{ completion: { values: ["a"], total: 150, hasMore: true } }],
  "logging/setLevel": [{ _meta }],
  "sampling/createMessage": [{ role: "assistant", content: spoken, model: "m", stopReason: "custom_x" }],
  "elicitation/create": [
    { action: "accept", content: { text: "t", whole: 1, flag: true, many: ["a"] } },
    { action: "decline" },
    { action: "cancel" },
  ],
  "roots/list": [{ roots: [{ uri: "file:///a", name: "A", _meta }] }],
  "tasks/get": [{ ...task }, { ...task, ttl: null }],
  "tasks/cancel": [{ ...task }],
  "tasks/result": [{ content: [], _meta }],
  "tasks/list": [{ tasks: [task], ...page }],
};

/** Params by notification. */
export const notificationParams: {
  readonly [M in keyof NotificationTable]: readonly NotificationTable[M][];
} = {
  "notifications/cancelled": [{ requestId: 1, reason: "r" }],
  "notifications/progress": [{ progressToken: "p", progress: 0.5, total: 1, message: "m" }],
  "notifications/initialized": [{ _meta }],
  "notifications/message": [{ level: "info", logger: "l", data: { a: 1 } }],
  "notifications/tools/list_changed": [{ _meta }],
  "notifications/resources/list_changed": [{ _meta }],
  "notifications/resources/updated": [{ uri: "a:b" }],
  "notifications/prompts/list_changed": [{ _meta }],
  "notifications/roots/list_changed": [{ _meta }],
  "notifications/elicitation/complete": [{ elicitationId: "1" }],
  "notifications/tasks/status": [task],
};

type StatelessTable = Pick<ServerRequests, "server/discover" | "subscriptions/listen">;

const filter = {
  toolsListChanged: true,
  promptsListChanged: true,
  resourcesListChanged: true,
  resourceSubscriptions: ["a:b"],
};

/** Params of requests that only revisions without a handshake have. */
export const statelessRequestParams: {
  readonly [M in keyof StatelessTable]: readonly StatelessTable[M]["params"][];
} = {
  "server/discover": [{ _meta: asking }],
  "subscriptions/listen": [{ notifications: filter, _meta: asking }, { notifications: {} }],
};

/** Their results. */
export const statelessResults: { readonly [M in keyof StatelessTable]: readonly StatelessTable[M]["result"][] } = {
  "server/discover": [
    {
      supportedVersions: ["2026-07-28", "2025-11-25"],
      capabilities: {
        experimental: { a: {} },
        extensions: { "com.example/a": {} },
        logging: {},
        completions: {},
        prompts: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        tools: { listChanged: true },
      },
      instructions: "i",
      resultType: "complete",
      ttlMs: 5,
      cacheScope: "public",
    },
  ],
  "subscriptions/listen": [{ _meta: { "io.modelcontextprotocol/subscriptionId": 7 }, resultType: "complete" }],
};

/** Params of their notifications. */
export const statelessNotificationParams: {
  readonly [M in StatelessNotification & keyof ServerNotifications]?: readonly ServerNotifications[M][];
} = {
  "notifications/subscriptions/acknowledged": [
    { notifications: filter, _meta: { "io.modelcontextprotocol/subscriptionId": "7" } },
  ],
};
