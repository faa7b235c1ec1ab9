/**
 * What is allowed and likely not meant, told to authors who ask for it while they develop.
 *
 * No part of serving: what must hold is checked when a tool is registered and in every result.
 */
import type { OnDiagnostic } from "../base/diagnostic.ts";
import { isObject } from "../base/json.ts";
import type { HeaderAnnotation } from "../protocol/tool-headers.ts";
import type { ToolAnnotations } from "../protocol/types/tool.ts";
import type { CallToolResult } from "../protocol/types/tools.ts";
import { toCanonicalJson } from "./asking/question-key.ts";
import { isSecretName } from "./logging/redact.ts";

/** Names of what tells who somebody is; words of their own, so that `domain` or `spinner` is none. */
const personalName = /(?:^|[^a-z])(?:e?-?mail|phone|ssn|passport|birth(?:day|date)?|iban|credit-?card|pin)(?:$|[^a-z])/;

function looksSecret(name: string): boolean {
  const words = name
    .replaceAll(/([a-z])([A-Z])/g, "$1-$2")
    .replaceAll("_", "-")
    .toLowerCase();
  return isSecretName(name) || personalName.test(words);
}

/** Tells of a tool without a single hint: hosts take it for the worst [PP-070]. */
export function adviseOnHints(tell: OnDiagnostic, name: string, annotations: ToolAnnotations | undefined): void {
  const { title: _, ...hints } = annotations ?? {};
  if (Object.values(hints).every((hint) => hint === undefined)) {
    tell({
      code: "MCP_D_NO_HINTS",
      message:
        `tool ${JSON.stringify(name)} has no hints, so hosts must take it for one that destroys things and reaches ` +
        "out into the world; say in annotations what it does, if only readOnlyHint",
    });
  }
}

/** Tells of an argument that looks like a secret and would travel as a header, where proxies log it [M-HDR-025]. */
export function adviseOnHeaders(tell: OnDiagnostic, name: string, headers: readonly HeaderAnnotation[]): void {
  for (const header of headers) {
    const found = [header.name, ...header.path].find(looksSecret);
    if (found !== undefined) {
      tell({
        code: "MCP_D_SECRET_HEADER",
        message:
          `tool ${JSON.stringify(name)} mirrors the argument ${JSON.stringify(header.path.join("."))} as a header, and ` +
          `${JSON.stringify(found)} looks like a secret or personal data: proxies and logs on the way read headers; ` +
          "drop x-mcp-header there",
      });
    }
  }
}

/** Tells of a result whose text is JSON and says something else than its structured content [PP-058]. */
export function adviseOnText(tell: OnDiagnostic, name: string, result: CallToolResult): void {
  const { content, structuredContent } = result;
  const [block] = content;
  if (structuredContent === undefined || content.length !== 1 || block?.type !== "text") {
    return;
  }
  const said = parseObject(block.text);
  if (said !== undefined && toCanonicalJson(said) !== toCanonicalJson(structuredContent)) {
    tell({
      code: "MCP_D_TEXT_DIFFERS",
      message:
        `the result of ${JSON.stringify(name)} says one thing as text and another as structured content, and hosts ` +
        "show either; leave content out to have it written from structuredContent",
      detail: { text: block.text, structuredContent },
    });
  }
}

/** The object a text is the JSON of. A bare value in a sentence's place contradicts nothing. */
function parseObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    // Words, as in most results.
    return undefined;
  }
}
