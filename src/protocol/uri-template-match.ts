/**
 * Takes values back out of a URI: the inverse of expansion, in time linear in the URI, without searching back.
 *
 * Cutting the URI into one piece per expression is uri-template-cut.ts, reading a piece is uri-template-values.ts;
 * here stand the rules both follow, and the bounds. Lists match back where they carry `*`; maps expand, but do not
 * match back.
 */

import { maxUriLength } from "./resource-uri.ts";
import type { UriTemplate } from "./uri-template.ts";
import { cutUri } from "./uri-template-cut.ts";
import { type Segment, toSegments } from "./uri-template-segments.ts";
import { readUriTemplateValues, type UriTemplateValues } from "./uri-template-values.ts";

/** What a URI gave: values by variable name, or why there are none. */
export type UriTemplateMatch =
  | {
      readonly ok: true;
      /** Decoded values; variables that the URI leaves out are absent, those with `*` are lists. */
      readonly values: UriTemplateValues;
    }
  | {
      readonly ok: false;
      /** Not of this template; of it, but with an escape that is no UTF-8; or longer than 65,536 characters. */
      readonly reason: "no-match" | "malformed-escape" | "too-long";
      readonly problem: string;
    };

/** Takes values out of a URI. */
export type UriTemplateMatcher = (uri: string) => UriTemplateMatch;

/** A matcher, or why the template has no single reading. */
export type UriTemplateMatcherResult =
  | { readonly ok: true; readonly match: UriTemplateMatcher }
  | { readonly ok: false; readonly problem: string };

/**
 * Makes the matcher of a template. Do it once, when the template is registered.
 *
 * A simple or `.`, `;` value does not cross `/`, `?` or `#`; `{+x}` and `{#x}` may hold anything. A value before a
 * literal reaches up to the last place from which the rest still matches; before an expression with a sign, up to
 * the first. Query variables may come in any order. Values are decoded after cutting, so `%2F` never separates.
 *
 * @param template - a parsed template; refused when two values would stand side by side with nothing between
 *
 * @example
 * ```ts
 * import { createUriTemplateMatcher, parseUriTemplate } from "parley-mcp/server";
 *
 * const parsed = parseUriTemplate("note://{folder}/{id}{?tags*}");
 * const matcher = parsed.ok ? createUriTemplateMatcher(parsed.template) : parsed;
 * if (matcher.ok) matcher.match("note://in%20box/7?tags=a&tags=b"); // folder "in box", id "7", tags ["a", "b"]
 * ```
 */
export function createUriTemplateMatcher(template: UriTemplate): UriTemplateMatcherResult {
  const problem = ambiguity(template);
  if (problem !== undefined) {
    return { ok: false, problem: `${problem} The template is ${JSON.stringify(template.text)}.` };
  }
  const segments = toSegments(template);
  return { ok: true, match: (uri) => matchUri(template, segments, uri) };
}

function ambiguity({ parts }: UriTemplate): string | undefined {
  for (const [index, part] of parts.entries()) {
    if (part.kind === "literal") {
      continue;
    }
    const names = part.variables.map((variable) => variable.name).join(",");
    if (parts[index - 1]?.kind === "expression" && (part.operator === "" || part.operator === "+")) {
      return `Nothing separates {${part.operator}${names}} from the expression before it, so a URI cannot be cut there.`;
    }
    const isNamed = part.operator === "?" || part.operator === "&" || part.operator === ";";
    if (!isNamed && part.variables.filter((variable) => variable.explode).length > 1) {
      return `{${part.operator}${names}} has two lists, and nothing tells where the first ends.`;
    }
  }
  return undefined;
}

function matchUri(template: UriTemplate, segments: readonly Segment[], received: string): UriTemplateMatch {
  const uri = received.length > maxUriLength ? received : toCanonical(received);
  if (uri.length > maxUriLength) {
    return {
      ok: false,
      reason: "too-long",
      problem: `A URI is matched up to ${maxUriLength} characters; this one has ${uri.length}.`,
    };
  }
  const cuts = cutUri(segments, uri);
  const read = cuts && readUriTemplateValues(cuts);
  if (read === undefined) {
    return { ok: false, reason: "no-match", problem: `The URI does not match ${JSON.stringify(template.text)}.` };
  }
  return read.ok
    ? read
    : {
        ok: false,
        reason: "malformed-escape",
        problem: `"${read.variable}" in ${JSON.stringify(template.text)} needs escapes that are UTF-8; it got a malformed one.`,
      };
}

/** One spelling for what RFC 3986 and RFC 3987 call equivalent: escapes in capitals, other than ASCII escaped. */
function toCanonical(uri: string): string {
  const capitals = uri.replace(/%(?:[a-f][0-9A-Fa-f]|[0-9A-F][a-f])/g, (triplet) => triplet.toUpperCase());
  // A lone surrogate has no escape; left as it is, it is reported as malformed where its value is decoded.
  return capitals.replace(/[^\p{ASCII}\p{Surrogate}]+/gu, encodeURIComponent);
}
