/**
 * Difference from 2025-11-25: no handshake and no session. Each request says everything about itself, servers ask by
 * interim results instead of requests, changes are listened to on a stream, and results say how long they stay fresh.
 * Tasks are an extension.
 */
import { isObject } from "../base/json.ts";
import type { Difference, Steps } from "./difference.ts";
import { drop, fill, inEach, type Step } from "./shape.ts";

const complete: Step = /* @__PURE__ */ fill({ resultType: "complete" });

/** The safe pair for authors who say nothing: stale at once, and nobody else's [M-CACHE-003]. */
const fresh: Step = /* @__PURE__ */ fill({ ttlMs: 0, cacheScope: "private" });

/** Answers to questions are no freshness to speak of [M-CACHE-002]. */
const cacheable: Step = (result) => (result.resultType === "complete" ? fresh(result) : result);

const stamps: Steps = {
  "server/discover": cacheable,
  "tools/list": (result) => inEach("tools", drop("execution"))(cacheable(result)),
  "prompts/list": cacheable,
  "resources/list": cacheable,
  "resources/templates/list": cacheable,
  "resources/read": cacheable,
};

const withoutResultWords: Step = /* @__PURE__ */ drop("resultType", "ttlMs", "cacheScope");

/** Before, structured results and the schemas of results had to be objects; the text copy remains [OLEG-009]. */
const onlyObjects: Step = (result) =>
  "structuredContent" in result && !isObject(result.structuredContent) ? drop("structuredContent")(result) : result;
const onlyObjectSchemas: Step = (tool) =>
  isObject(tool.outputSchema) && tool.outputSchema.type !== "object" ? drop("outputSchema")(tool) : tool;

export const revision20260728: Difference = {
  id: "2026-07-28",
  lifecycle: "stateless",
  traits: { polling: false, serverRequests: false, closeCancels: true, cacheHints: true, tasks: "extension" },
  adds: {
    server: ["server/discover", "subscriptions/listen", "tasks/update"],
    client: ["notifications/subscriptions/acknowledged", "notifications/tasks"],
  },
  removes: {
    server: [
      "initialize",
      "ping",
      "logging/setLevel",
      "resources/subscribe",
      "resources/unsubscribe",
      "tasks/result",
      "tasks/list",
      "notifications/initialized",
      "notifications/progress",
      "notifications/roots/list_changed",
      "notifications/tasks/status",
    ],
    client: [
      "ping",
      "sampling/createMessage",
      "roots/list",
      "elicitation/create",
      "tasks/get",
      "tasks/result",
      "tasks/list",
      "tasks/cancel",
      "notifications/tasks/status",
      "notifications/elicitation/complete",
    ],
  },
  errorCodes: {
    MCP_RESOURCE_NOT_FOUND: -32602,
    MCP_MISSING_CAPABILITY: -32021,
    MCP_UNSUPPORTED_REVISION: -32022,
  },
  // What is said of the older form of tasks, as by a server that was mounted, is left out [M-TOOL-007].
  stamp: { everyResult: complete, results: stamps, params: { "tools/call": drop("task") } },
  downgrade: {
    everyResult: withoutResultWords,
    results: {
      "tools/list": inEach("tools", onlyObjectSchemas),
      "tools/call": onlyObjects,
    },
  },
};
