/**
 * Checks of tools, of calling them and of what comes back. Whether arguments fit a tool's own schema is
 * for the server's validator.
 */
import type { CheckOf } from "../check.ts";
import type { Tool, ToolAnnotations, ToolExecution, ToolInputSchema } from "../types/tool.ts";
import type { CallToolRequestParams, CallToolResult, ListToolsResult } from "../types/tools.ts";
import { contentBlock } from "./content.ts";
import { icon, page, requestMeta, taskMetadata } from "./metadata.ts";

const inputSchema: CheckOf<ToolInputSchema> = {
  required: { type: { choices: ["object"] } },
  optional: { $schema: "string" },
};

const toolAnnotations: CheckOf<ToolAnnotations> = {
  optional: {
    title: "string",
    readOnlyHint: "boolean",
    destructiveHint: "boolean",
    idempotentHint: "boolean",
    openWorldHint: "boolean",
  },
};

const execution: CheckOf<ToolExecution> = {
  optional: { taskSupport: { choices: ["forbidden", "optional", "required"] } },
};

/** Specification: Server > Tools > Data Types > Tool [TOOL-002, TOOL-003]. */
export const tool: CheckOf<Tool> = {
  required: { name: "string", inputSchema },
  optional: {
    title: "string",
    description: "string",
    outputSchema: "object",
    annotations: toolAnnotations,
    execution,
    icons: { each: icon },
    _meta: "object",
  },
};

/** Specification: Server > Tools > Listing Tools [TOOL-002]. */
export const listToolsResult: CheckOf<ListToolsResult> = { required: { tools: { each: tool } }, optional: page };

/** Specification: Server > Tools > Calling Tools [TOOL-007]. */
export const callToolParams: CheckOf<CallToolRequestParams> = {
  required: { name: "string" },
  optional: {
    _meta: requestMeta,
    arguments: "object",
    task: taskMetadata,
    inputResponses: { values: "object" },
    requestState: "string",
  },
};

/** Specification: Server > Tools > Tool Result [TOOL-008, TOOL-009]. */
export const callToolResult: CheckOf<CallToolResult> = {
  required: { content: { each: contentBlock } },
  optional: { _meta: "object", isError: "boolean" },
};
