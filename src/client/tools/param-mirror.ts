/**
 * Which arguments of a tool call are repeated as headers, by what is known of the tool; and which tools ask for that in
 * a way that cannot be followed. Specification: Basic > Transports > Streamable HTTP > Custom headers from tool parameters.
 */
import { isObject } from "../../base/json.ts";
import type { LinkRequestOptions } from "../../jsonrpc/link.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import { InvalidParamsError } from "../../protocol/errors.ts";
import { toParamHeaders } from "../../protocol/param-headers.ts";
import { type HeaderAnnotations, readHeaderAnnotations } from "../../protocol/tool-headers.ts";
import type { Tool } from "../../protocol/types/tool.ts";
import type { KnownTools } from "./known-tools.ts";

/** See the head of this file. */
export class ParamMirror {
  readonly #known: KnownTools;
  readonly #read = new WeakMap<Tool, HeaderAnnotations>();

  constructor(known: KnownTools) {
    this.#known = known;
  }

  /**
   * The headers of a request. A tool that was never listed has none: should the server want some, it says so.
   *
   * @throws {@link InvalidParamsError} for an argument that no header can carry [M-HDR-013]
   */
  toHeaders(method: string, params: JsonObject | undefined): LinkRequestOptions["headers"] {
    const tool = method === "tools/call" ? this.#known.getLatest(String(params?.name)) : undefined;
    const found = tool === undefined ? undefined : this.#annotationsOf(tool);
    if (found?.ok !== true || found.annotations.length === 0) {
      return undefined;
    }
    const args = isObject(params?.arguments) ? params.arguments : undefined;
    const result = toParamHeaders(found.annotations, args);
    if (!result.ok) {
      throw new InvalidParamsError(`${method}: ${result.problem}; nothing was sent`);
    }
    return result.headers;
  }

  /** What is wrong with the annotations of a tool, for which it cannot be called over HTTP [M-HDR-012]. */
  findFault(tool: Tool): string | undefined {
    const found = this.#annotationsOf(tool);
    return found.ok ? undefined : found.problem;
  }

  #annotationsOf(tool: Tool): HeaderAnnotations {
    const found = this.#read.get(tool) ?? readHeaderAnnotations(tool.inputSchema);
    this.#read.set(tool, found);
    return found;
  }
}
