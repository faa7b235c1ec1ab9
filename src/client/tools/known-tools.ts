/**
 * The tools a server has listed in this session, and whether a result fits the output schema that came with one.
 *
 * Schemas are compiled when first needed and once per listed tool; each stands for itself, whatever its `$id` says.
 */
import type { OnDiagnostic } from "../../base/diagnostic.ts";
import { Lru } from "../../base/lru.ts";
import type { Tool } from "../../protocol/types/tool.ts";
import type { CallToolResult } from "../../protocol/types/tools.ts";
import { describeIssues } from "../../schema/issue.ts";
import type { CompiledSchema, JsonSchemaValidator } from "../../schema/validator.ts";

/** Tools remembered at once. */
const maxTools = 10_000;

/** See the head of this file. */
export class KnownTools {
  readonly #validator: JsonSchemaValidator;
  readonly #onDiagnostic: OnDiagnostic | undefined;
  readonly #compiled = new WeakMap<Tool, CompiledSchema | "unusable">();
  #tools = new Lru<Tool>(maxTools);
  /** What was listed before the server said that this has changed. */
  #outdated = new Lru<Tool>(maxTools);

  constructor(validator: JsonSchemaValidator, onDiagnostic: OnDiagnostic | undefined) {
    this.#validator = validator;
    this.#onDiagnostic = onDiagnostic;
  }

  /** The tool as it was last listed, unless it may have changed since. */
  get(name: string): Tool | undefined {
    return this.#tools.get(name);
  }

  /** The tool as it was last listed, whatever may have become of it [M-HDR-023]. */
  getLatest(name: string): Tool | undefined {
    return this.#tools.get(name) ?? this.#outdated.get(name);
  }

  /** What is known may have changed, and judging results by it would be wrong. */
  outdate(): void {
    this.#outdated = this.#tools;
    this.#tools = new Lru(maxTools);
  }

  /** Takes note of one page of a list. */
  learn(tools: readonly Tool[]): void {
    for (const tool of tools) {
      this.#tools.set(tool.name, tool);
    }
  }

  /** Takes note of a whole list: what is not in it is forgotten. */
  replace(tools: readonly Tool[]): void {
    this.#tools = new Lru(maxTools);
    this.#outdated = new Lru(maxTools);
    this.learn(tools);
  }

  /** What does not fit the tool's output schema [TOOL-016]. A result with `isError` need not fit. */
  findOutputFault(tool: Tool, result: CallToolResult): string | undefined {
    if (tool.outputSchema === undefined || result.isError === true) {
      return undefined;
    }
    if (!("structuredContent" in result)) {
      return "expected structuredContent, as the tool has an output schema, got none";
    }
    const compiled = this.#compile(tool);
    return compiled === undefined || compiled.check(result.structuredContent)
      ? undefined
      : `structuredContent: ${describeIssues(compiled.explain(result.structuredContent))}`;
  }

  #compile(tool: Tool): CompiledSchema | undefined {
    let compiled = this.#compiled.get(tool);
    if (compiled === undefined) {
      try {
        compiled = this.#validator.compile(tool.outputSchema ?? {}, { untrusted: true });
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        const message = `results of ${tool.name} are not validated, as its output schema cannot be used: ${why}`;
        this.#onDiagnostic?.({ code: "MCP_D_OUTPUT_UNVALIDATED", message, detail: error });
        compiled = "unusable";
      }
      this.#compiled.set(tool, compiled);
    }
    return compiled === "unusable" ? undefined : compiled;
  }
}
