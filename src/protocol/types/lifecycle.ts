/**
 * How two parties find out about each other: initialization, discovery, and what each of them can do.
 * Merging capabilities and asking what a method needs is `protocol/capabilities.ts`.
 */
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { CacheableResult } from "./cache.ts";
import type { FinalResult, RequestParams } from "./message.ts";
import type { Implementation } from "./metadata.ts";

/** Which requests to a client may be made as tasks. Specification: Basic > Utilities > Tasks > Capabilities. */
export interface ClientTasksCapability {
  list?: JsonObject;
  cancel?: JsonObject;
  requests?: {
    sampling?: { createMessage?: JsonObject };
    elicitation?: { create?: JsonObject };
  };
}

/** Which requests to a server may be made as tasks. Specification: Basic > Utilities > Tasks > Capabilities. */
export interface ServerTasksCapability {
  list?: JsonObject;
  cancel?: JsonObject;
  requests?: {
    tools?: { call?: JsonObject };
  };
}

/** What a client offers to servers. Specification: Basic > Lifecycle > Capability Negotiation. */
export interface ClientCapabilities {
  experimental?: { [name: string]: JsonObject };
  /** Settings of negotiated extensions by their identifier. */
  extensions?: { [identifier: string]: JsonObject };
  roots?: { listChanged?: boolean };
  sampling?: { context?: JsonObject; tools?: JsonObject };
  /** An empty object means form mode only. */
  elicitation?: { form?: JsonObject; url?: JsonObject };
  tasks?: ClientTasksCapability;
}

/** What a server offers to clients. Specification: Basic > Lifecycle > Capability Negotiation. */
export interface ServerCapabilities {
  experimental?: { [name: string]: JsonObject };
  /** Settings of negotiated extensions by their identifier. */
  extensions?: { [identifier: string]: JsonObject };
  logging?: JsonObject;
  completions?: JsonObject;
  prompts?: { listChanged?: boolean };
  resources?: { subscribe?: boolean; listChanged?: boolean };
  tools?: { listChanged?: boolean };
  tasks?: ServerTasksCapability;
}

/** The first request of a connection with a handshake. Specification: Basic > Lifecycle > Initialization. */
export interface InitializeRequestParams extends RequestParams {
  protocolVersion: string;
  capabilities: ClientCapabilities;
  clientInfo: Implementation;
}

/** The server's half of the handshake. Specification: Basic > Lifecycle > Initialization. */
export interface InitializeResult extends FinalResult {
  protocolVersion: string;
  capabilities: ServerCapabilities;
  serverInfo: Implementation;
  /** How to use the server, for a person or a model. */
  instructions?: string;
}

/** What a server supports, asked for without a handshake. Specification: Basic > Discovery. */
export interface DiscoverResult extends CacheableResult {
  supportedVersions: string[];
  capabilities: ServerCapabilities;
  /** How to use the server, for a person or a model. */
  instructions?: string;
}
