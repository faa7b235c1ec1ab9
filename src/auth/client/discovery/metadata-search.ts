/**
 * The search for a metadata document among the addresses where it may be: each is asked in turn, and what it gave is taken
 * down, whatever it is, until one gives a valid document [PP-085].
 *
 * Which addresses, and what a valid document says, is the caller's. Specification: Basic > Authorization > Discovery.
 */
import { parseJson } from "../../../base/json.ts";
import { quote } from "../../../protocol/header-value.ts";
import { latestHandshake } from "../../../revision/registry.ts";
import { FetchFailure, type FetchFailureReason, type GuardedFetch } from "../../fetch.ts";
import type { DiscoveryLog } from "./discovery-log.ts";
import type { Parsed } from "./metadata-fields.ts";

/** Deepest nesting of a document. */
const maxDepth = 32;

/** What a search needs from outside. */
export interface SearchContext {
  readonly fetch: GuardedFetch;
  readonly log: DiscoveryLog;
  readonly signal: AbortSignal;
}

/** What is looked for. */
export interface MetadataSearch<T> {
  readonly stage: "resource-metadata" | "server-metadata";
  /** In the order of trial. */
  readonly urls: readonly string[];
  readonly parse: (json: unknown) => Parsed<T>;
}

/** How a search ended. */
export interface SearchResult<T> {
  /** The first valid document. */
  readonly value: T | undefined;
  /** Whether every address said that there is nothing: only then does silence mean anything. */
  readonly isAbsent: boolean;
}

/** Asks the addresses in turn. @throws the signal's reason */
export async function searchMetadata<T>(search: MetadataSearch<T>, context: SearchContext): Promise<SearchResult<T>> {
  let isAbsent = true;
  for (const url of search.urls) {
    const outcome = await ask(url, search.parse, context);
    if (outcome.ok) {
      context.log.add(search.stage, "ok", outcome.note, url);
      return { value: outcome.value, isAbsent: false };
    }
    isAbsent &&= outcome.isAbsent;
    context.log.add(search.stage, outcome.isAbsent ? "skipped" : "failed", outcome.problem, url);
    if (outcome.isTransient) {
      context.log.markTransient();
    }
  }
  return { value: undefined, isAbsent };
}

type Outcome<T> =
  | { readonly ok: true; readonly value: T; readonly note: string }
  | { readonly ok: false; readonly problem: string; readonly isAbsent: boolean; readonly isTransient: boolean };

async function ask<T>(
  url: string,
  parse: (json: unknown) => Parsed<T>,
  { fetch, signal }: SearchContext,
): Promise<Outcome<T>> {
  try {
    const { response, note } = await request(url, fetch, signal);
    const parsed = response.status === 200 ? parseBody(response, await response.text()) : undefined;
    if (parsed === undefined) {
      return refuse(`status ${response.status}`, response.status === 404, isPassing(response.status));
    }
    const document = parsed.ok ? parse(parsed.value) : parsed;
    return document.ok ? { ...document, note } : refuse(document.problem);
  } catch (error) {
    if (error instanceof FetchFailure) {
      return refuse(explainFailure(error), false, passing.has(error.reason));
    }
    throw error;
  }
}

/**
 * Sends the request with the revision's header [AUTHDRAFT-012]. In a page, a header that the other side does not expect can
 * make it unreachable, so then it goes without.
 */
async function request(
  url: string,
  fetch: GuardedFetch,
  signal: AbortSignal,
): Promise<{ readonly response: Response; readonly note: string }> {
  const headers = { accept: "application/json" };
  try {
    const withRevision = { ...headers, "mcp-protocol-version": latestHandshake.id };
    return { response: await fetch(url, { method: "GET", headers: withRevision, signal }), note: "valid" };
  } catch (error) {
    if (error instanceof FetchFailure && error.reason === "unreachable") {
      const response = await fetch(url, { method: "GET", headers, signal });
      return { response, note: "valid; out of reach with the header MCP-Protocol-Version" };
    }
    throw error;
  }
}

function parseBody(response: Response, text: string): Parsed<unknown> {
  const parsed = parseJson(text, maxDepth);
  if (parsed.ok) {
    return parsed;
  }
  // The parser's own words quote the text, which is somebody's page.
  const type = response.headers.get("content-type");
  const got = type === null ? "something else" : quote(type);
  return { ok: false, problem: parsed.reason === "too-deep" ? parsed.message : `expected JSON, got ${got}` };
}

const passing: ReadonlySet<FetchFailureReason> = /* @__PURE__ */ new Set(["timeout", "unreachable"]);

function isPassing(status: number): boolean {
  return status >= 500 || status === 429 || status === 408;
}

function explainFailure({ reason, message }: FetchFailure): string {
  return reason === "unreachable" ? `no answer: ${message} (in a page, CORS may have kept it back)` : message;
}

function refuse(problem: string, isAbsent = false, isTransient = false): Outcome<never> {
  return { ok: false, problem, isAbsent, isTransient };
}
