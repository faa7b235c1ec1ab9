/** The first revision: what all others are differences from. */
import type { Difference } from "./difference.ts";
import type { RevisionTraits } from "./revision.ts";

export const baseTraits: RevisionTraits = {
  batching: false,
  versionHeader: false,
  polling: false,
  serverRequests: true,
  closeCancels: false,
  cacheHints: false,
  tasks: "none",
};

export const revision20241105: Difference = {
  id: "2024-11-05",
  lifecycle: "handshake",
  traits: {},
  adds: {
    server: [
      "initialize",
      "ping",
      "tools/list",
      "tools/call",
      "resources/list",
      "resources/templates/list",
      "resources/read",
      "resources/subscribe",
      "resources/unsubscribe",
      "prompts/list",
      "prompts/get",
      "completion/complete",
      "logging/setLevel",
      "notifications/initialized",
      "notifications/cancelled",
      "notifications/progress",
      "notifications/roots/list_changed",
    ],
    client: [
      "ping",
      "sampling/createMessage",
      "roots/list",
      "notifications/cancelled",
      "notifications/progress",
      "notifications/message",
      "notifications/tools/list_changed",
      "notifications/resources/list_changed",
      "notifications/resources/updated",
      "notifications/prompts/list_changed",
    ],
  },
};
