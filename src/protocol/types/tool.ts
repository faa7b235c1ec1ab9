/**
 * What a tool is. The methods that list and call tools are in `tools.ts`; stricter types for people who
 * write tools are in `protocol/annotations.ts`.
 */
import type { BaseMetadata, Icons, MetaObject } from "./metadata.ts";

/** A JSON Schema whose root is an object, as tool arguments need. Specification: Server > Tools > Data Types > Tool. */
export interface ToolInputSchema {
  type: "object";
  $schema?: string;
  [keyword: string]: unknown;
}

/** A JSON Schema for the structured result of a tool. Specification: Server > Tools > Output Schema. */
export interface ToolOutputSchema {
  $schema?: string;
  [keyword: string]: unknown;
}

/** Hints on what a tool does, not to be trusted from an untrusted server. Specification: Server > Tools > Data Types > Tool. */
export interface ToolAnnotations {
  title?: string;
  readOnlyHint?: boolean;
  destructiveHint?: boolean;
  idempotentHint?: boolean;
  openWorldHint?: boolean;
}

/** Whether a tool may be called as a task; absent means that it may not. Specification: Basic > Utilities > Tasks > Tool-Level Negotiation. */
export interface ToolExecution {
  taskSupport?: "forbidden" | "optional" | "required";
}

/** A function a model may call. Specification: Server > Tools > Data Types > Tool. */
export interface Tool extends BaseMetadata, Icons {
  description?: string;
  inputSchema: ToolInputSchema;
  outputSchema?: ToolOutputSchema;
  annotations?: ToolAnnotations;
  execution?: ToolExecution;
  _meta?: MetaObject;
}
