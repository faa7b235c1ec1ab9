/**
 * Checks of the handshake and of discovery: what both sides say about themselves.
 */
import type { CheckOf } from "../check.ts";
import type {
  ClientCapabilities,
  DiscoverResult,
  InitializeRequestParams,
  InitializeResult,
  ServerCapabilities,
} from "../types/lifecycle.ts";
import { implementation, requestMeta } from "./metadata.ts";

const listChanged = { optional: { listChanged: "boolean" } } as const;

/** What a client offers. Specification: Basic > Lifecycle > Capability Negotiation. */
const clientCapabilities: CheckOf<ClientCapabilities> = {
  optional: {
    experimental: { values: "object" },
    extensions: { values: "object" },
    roots: listChanged,
    sampling: { optional: { context: "object", tools: "object" } },
    elicitation: { optional: { form: "object", url: "object" } },
    tasks: {
      optional: {
        list: "object",
        cancel: "object",
        requests: {
          optional: {
            sampling: { optional: { createMessage: "object" } },
            elicitation: { optional: { create: "object" } },
          },
        },
      },
    },
  },
};

/** What a server offers. Specification: Basic > Lifecycle > Capability Negotiation. */
const serverCapabilities: CheckOf<ServerCapabilities> = {
  optional: {
    experimental: { values: "object" },
    extensions: { values: "object" },
    logging: "object",
    completions: "object",
    prompts: listChanged,
    resources: { optional: { subscribe: "boolean", listChanged: "boolean" } },
    tools: listChanged,
    tasks: {
      optional: {
        list: "object",
        cancel: "object",
        requests: { optional: { tools: { optional: { call: "object" } } } },
      },
    },
  },
};

/** Specification: Basic > Lifecycle > Initialization [LIFE-002, LIFE-003]. */
export const initializeParams: CheckOf<InitializeRequestParams> = {
  required: { protocolVersion: "string", capabilities: clientCapabilities, clientInfo: implementation },
  optional: { _meta: requestMeta },
};

/** Specification: Basic > Lifecycle > Initialization [LIFE-004]. */
export const initializeResult: CheckOf<InitializeResult> = {
  required: { protocolVersion: "string", capabilities: serverCapabilities, serverInfo: implementation },
  optional: { _meta: "object", instructions: "string" },
};

/** Specification: Basic > Discovery. */
export const discoverResult: CheckOf<DiscoverResult> = {
  required: { supportedVersions: { each: "string" }, capabilities: serverCapabilities },
  optional: { _meta: "object", instructions: "string" },
};
