/**
 * Media types and media ranges: reading `Content-Type`, and asking whether an `Accept` header takes a type.
 *
 * Tolerant in what it reads: case, parameters, order and stray entries do not matter. RFC 9110, sections 8.3 and 12.5.1.
 */

/** The media type of one JSON message. */
export const jsonType = "application/json";

/** The media type of an event stream. */
export const eventStreamType = "text/event-stream";

/** A media type or range with its parameters. */
export interface MediaType {
  /** Type and subtype in lower case, such as `application/json`. */
  readonly essence: string;
  /** Parameters by their name in lower case, quotes removed. */
  readonly parameters: ReadonlyMap<string, string>;
}

const noParameters: ReadonlyMap<string, string> = /* @__PURE__ */ new Map();

/**
 * Reads one media type or range.
 *
 * @returns `undefined` where there is no `type/subtype`
 */
export function parseMediaType(text: string | null | undefined): MediaType | undefined {
  const [first = "", ...rest] = splitOutsideQuotes(text ?? "", ";");
  const essence = first.trim().toLowerCase();
  if (!/^[!#$%&'*+.^_`|~0-9a-z-]+\/[!#$%&'*+.^_`|~0-9a-z-]+$/.test(essence)) {
    return undefined;
  }
  return { essence, parameters: rest.length === 0 ? noParameters : parseParameters(rest) };
}

/**
 * Whether a `Content-Type` header names a type, whatever its case and parameters.
 *
 * @param contentType - the header's value
 * @param essence - type and subtype in lower case
 */
export function isMediaType(contentType: string | null | undefined, essence: string): boolean {
  return contentType === essence || parseMediaType(contentType)?.essence === essence;
}

/**
 * Whether an `Accept` header takes a type: by name or by wildcard, the most specific range deciding, quality 0 refusing.
 *
 * @param accept - the header's value; a missing or empty header takes everything
 * @param essence - type and subtype in lower case
 */
export function acceptsMediaType(accept: string | null | undefined, essence: string): boolean {
  if (accept === null || accept === undefined || accept.trim() === "") {
    return true;
  }
  let specificity = 0;
  let accepted = false;
  for (const text of splitOutsideQuotes(accept, ",")) {
    const range = parseMediaType(text);
    const rank = range === undefined ? 0 : rankRange(range.essence, essence);
    if (range !== undefined && rank > 0 && rank >= specificity) {
      const accepts = parseQuality(range.parameters.get("q")) > 0;
      // Of several ranges that are equally specific, one that accepts is enough.
      accepted = rank === specificity ? accepted || accepts : accepts;
      specificity = rank;
    }
  }
  return accepted;
}

/**
 * Whether an `Accept` header lists a type by its name, without wildcards, as the specification asks clients to.
 *
 * @param accept - the header's value
 * @param essence - type and subtype in lower case
 */
export function listsMediaType(accept: string | null | undefined, essence: string): boolean {
  return splitOutsideQuotes(accept ?? "", ",").some((text) => parseMediaType(text)?.essence === essence);
}

/** 3 for the type itself, 2 for its family, 1 for everything, 0 for something else. */
function rankRange(range: string, essence: string): 0 | 1 | 2 | 3 {
  if (range === essence) {
    return 3;
  }
  if (range === "*/*") {
    return 1;
  }
  return range.endsWith("/*") && essence.startsWith(range.slice(0, -1)) ? 2 : 0;
}

function parseQuality(text: string | undefined): number {
  // A quality that is no number says nothing, so the default of 1 holds.
  const quality = text === undefined ? 1 : Number(text);
  return Number.isNaN(quality) ? 1 : quality;
}

function parseParameters(parts: readonly string[]): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  for (const part of parts) {
    const at = part.indexOf("=");
    if (at > 0) {
      const value = part.slice(at + 1).trim();
      const quoted = value.length > 1 && value.startsWith('"') && value.endsWith('"');
      parameters.set(
        part.slice(0, at).trim().toLowerCase(),
        quoted ? value.slice(1, -1).replaceAll(/\\(.)/g, "$1") : value,
      );
    }
  }
  return parameters;
}

function splitOutsideQuotes(text: string, separator: string): string[] {
  if (!text.includes('"')) {
    return text.split(separator);
  }
  const parts: string[] = [];
  let from = 0;
  let quoted = false;
  for (let index = 0; index < text.length; index += 1) {
    const letter = text[index];
    if (quoted && letter === "\\") {
      index += 1;
    } else if (letter === '"') {
      quoted = !quoted;
    } else if (!quoted && letter === separator) {
      parts.push(text.slice(from, index));
      from = index + 1;
    }
  }
  parts.push(text.slice(from));
  return parts;
}
