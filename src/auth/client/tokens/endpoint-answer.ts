/**
 * What an endpoint of an authorization server answers to a POST: a JSON object, or why it refuses, as a value.
 *
 * The only place where text of a server gets into messages: without control characters, short, and without any secret that
 * was sent, should the server repeat it. What the answer means is the asker's business.
 * Specification: RFC 6749 section 5.2, RFC 7591 section 3.2.2.
 */
import { isAbortOf } from "../../../base/abort.ts";
import { isMcpError } from "../../../base/error.ts";
import { isObject, parseJson } from "../../../base/json.ts";
import { AuthorizationError, type AuthorizationStage } from "../../../protocol/authorization-errors.ts";
import { FetchFailure } from "../../fetch.ts";
import { toShownUrl } from "../../strict-url.ts";
import type { AuthorizationRecord } from "../record.ts";
import { encodeForm } from "./form-encoding.ts";
import { toShown } from "./shown-text.ts";

/** Why there is no good answer. */
export interface Refusal {
  /** What came instead, without secrets. */
  readonly problem: string;
  /** The error code that the server gave. */
  readonly oauthError?: string | undefined;
  /** Whether the same request may succeed later. */
  readonly isTransient: boolean;
  readonly cause?: unknown;
}

/** What came of a request. */
export type EndpointAnswer =
  | { readonly ok: true; readonly body: { readonly [field: string]: unknown } }
  | ({ readonly ok: false } & Refusal);

/** How to ask. */
export interface EndpointRequest {
  /** Sends the request. */
  readonly send: () => Promise<Response>;
  readonly signal: AbortSignal;
  /** What was sent and must not be repeated in a message. Asked for after sending. */
  readonly secrets: () => readonly string[];
  /** Whether an answer without a body is a good one. Default false. */
  readonly isBodyOptional?: boolean | undefined;
}

/** What an error is about. */
export interface EndpointFailure {
  readonly stage: AuthorizationStage;
  readonly issuer: string;
  readonly url: string;
  /** What did not come about, such as `no tokens from`. */
  readonly what: string;
}

/** Deepest nesting of an answer. */
const maxDepth = 16;

/**
 * Asks an endpoint.
 *
 * @throws the signal's reason, and errors of this library as they are; anything else is a refusal
 */
export async function askEndpoint({ send, signal, secrets, isBodyOptional }: EndpointRequest): Promise<EndpointAnswer> {
  try {
    const response = await send();
    return readAnswer(response.status, response.headers, await response.text(), secrets(), isBodyOptional === true);
  } catch (error) {
    if (isAbortOf(signal, error)) {
      throw signal.reason;
    }
    if (isMcpError(error)) {
      throw error;
    }
    const isTransient = error instanceof FetchFailure && (error.reason === "unreachable" || error.reason === "timeout");
    const message = error instanceof Error ? error.message : String(error);
    return { ok: false, problem: quote(message, secrets()), isTransient, cause: error };
  }
}

/** Takes a refusal down, and makes the error of it. */
export function toRefusalError(
  { stage, issuer, url, what }: EndpointFailure,
  refusal: Refusal,
  record: AuthorizationRecord,
): AuthorizationError {
  const { problem, oauthError, isTransient, cause } = refusal;
  const endpoint = toShownUrl(url);
  record.add(stage, "failed", problem, endpoint);
  return new AuthorizationError(`${what} ${issuer}: ${endpoint}: ${problem}`, {
    stage,
    issuer,
    oauthError,
    isTransient,
    cause,
  });
}

function readAnswer(
  status: number,
  headers: Headers,
  text: string,
  secrets: readonly string[],
  isBodyOptional: boolean,
): EndpointAnswer {
  const parsed = parseJson(text, maxDepth);
  const body = parsed.ok && isObject(parsed.value) ? parsed.value : undefined;
  const isSuccess = status >= 200 && status < 300;
  // Some servers refuse with status 200, so the field goes before the status.
  if (typeof body?.error === "string" && body.error !== "") {
    const oauthError = quote(body.error, secrets);
    const said = typeof body.error_description === "string" ? quote(body.error_description, secrets) : "";
    const problem = `answered ${status} ${oauthError}${said === "" ? "" : ` (${said})`}`;
    return { ok: false, problem, oauthError, isTransient: isTransientStatus(status) };
  }
  if (isSuccess && (body !== undefined || isBodyOptional)) {
    return { ok: true, body: body ?? {} };
  }
  const came = describeBody(headers.get("content-type"), text, body !== undefined, secrets);
  const problem = `expected ${isSuccess ? "a JSON object" : "success, or an OAuth error as JSON"}, got ${status} with ${came}`;
  return { ok: false, problem, isTransient: isTransientStatus(status) };
}

function isTransientStatus(status: number): boolean {
  return status >= 500 || status === 429 || status === 408;
}

/** Never the body itself: it may hold tokens in a form that was not asked for. The title of a page tells most. */
function describeBody(type: string | null, text: string, isJson: boolean, secrets: readonly string[]): string {
  if (isJson) {
    return "JSON that names no error";
  }
  if (text === "") {
    return "an empty body";
  }
  if (/^\s*<(!doctype|html|\?xml)/i.test(text.slice(0, 1_000)) || /\bhtml\b/i.test(type ?? "")) {
    const title = /<title[^>]{0,200}>([^<]{1,200})/i.exec(text.slice(0, 10_000))?.[1] ?? "";
    const said = quote(title, secrets);
    return `an HTML page${said === "" ? "" : ` titled "${said}"`}; is this the address of the endpoint, or is something in between?`;
  }
  return `a body of type ${quote(type ?? "unknown", secrets)}`;
}

/** Text of a server in a form to be shown. */
function quote(text: string, secrets: readonly string[]): string {
  return toShown(redact(text, secrets));
}

function redact(text: string, secrets: readonly string[]): string {
  const forms = secrets
    .flatMap((secret) => [secret, encodeURIComponent(secret), encodeForm(secret)])
    .filter((form) => form !== "");
  forms.sort((one, other) => other.length - one.length);
  return forms.reduce((rest, form) => rest.replaceAll(form, "[secret]"), text);
}
