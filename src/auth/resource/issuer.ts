/**
 * One authorization server as a resource sees it: its metadata, fetched when first needed and kept.
 *
 * Only configured issuers come here; no address of a token or of a request is ever fetched.
 * Specification: Basic > Authorization > Authorization Server Metadata Discovery; RFC 8414 section 3.
 */
import { UsageError } from "../../base/error.ts";
import { isObject, parseJson } from "../../base/json.ts";
import { isLoopbackHost, parseUrl } from "../../base/url.ts";
import type { GuardedFetch, GuardedRequest } from "../fetch.ts";
import { serverMetadataUrls } from "../well-known.ts";
import { type Claims, findText } from "./claims.ts";
import { VerifierUnavailableError } from "./verifier.ts";

/** Deepest nesting of the JSON that is read. */
const maxJsonDepth = 32;

/**
 * Fetches the metadata of an issuer: the first document that names it exactly.
 *
 * @throws {@link VerifierUnavailableError}
 */
export async function fetchIssuerMetadata(issuer: string, fetch: GuardedFetch): Promise<Claims> {
  let cause: unknown;
  for (const { url } of serverMetadataUrls(issuer)) {
    try {
      const metadata = await fetchJson(url, { method: "GET" }, fetch);
      if (findText(metadata, "issuer") === issuer) {
        return metadata;
      }
      cause = new Error(`${url}: expected metadata of ${issuer}, got that of another issuer`);
    } catch (error) {
      cause = error;
    }
  }
  throw new VerifierUnavailableError(`the metadata of ${issuer} could not be read; is it the issuer's exact name?`, {
    cause,
  });
}

/**
 * The address that the metadata gives for something.
 *
 * @throws {@link VerifierUnavailableError} where it gives none that can be trusted
 */
export function readEndpoint(metadata: Claims, member: string, issuer: string): string {
  const text = findText(metadata, member);
  if (text === undefined || !isSecureUrl(text)) {
    throw new VerifierUnavailableError(`expected ${member} in the metadata of ${issuer} to be an https URL`);
  }
  return text;
}

/**
 * Fetches a JSON object.
 *
 * @throws {@link VerifierUnavailableError} for every other answer, and for none
 */
export async function fetchJson(url: string, request: GuardedRequest, fetch: GuardedFetch): Promise<Claims> {
  return readJson(url, await fetchText(url, request, fetch));
}

/** An answer with its body in memory. */
export interface TextAnswer {
  readonly status: number;
  readonly text: string;
}

/**
 * Fetches any answer.
 *
 * @throws {@link VerifierUnavailableError} where none comes
 */
export async function fetchText(url: string, request: GuardedRequest, fetch: GuardedFetch): Promise<TextAnswer> {
  try {
    const headers = { accept: "application/json", ...request.headers };
    const response = await fetch(url, { ...request, headers });
    return { status: response.status, text: await response.text() };
  } catch (cause) {
    throw new VerifierUnavailableError(`${url} could not be reached`, { cause });
  }
}

/**
 * The JSON object of a good answer.
 *
 * @throws {@link VerifierUnavailableError} for every other answer
 */
export function readJson(url: string, { status, text }: TextAnswer): Claims {
  const json = status === 200 ? parseJson(text, maxJsonDepth) : undefined;
  if (json?.ok !== true || !isObject(json.value)) {
    throw new VerifierUnavailableError(`${url}: expected status 200 with a JSON object, got status ${status}`);
  }
  return json.value;
}

/**
 * Fails for what cannot be fetched safely: `https:` is needed except on this machine.
 *
 * @throws {@link UsageError}
 */
export function assertSecureUrl(option: string, text: string): void {
  if (!isSecureUrl(text)) {
    throw new UsageError(`${option}: expected an https URL, or an http URL of this machine, got "${text}"`);
  }
}

/**
 * The issuers of an option, checked.
 *
 * @throws {@link UsageError}
 */
export function resolveIssuers(issuer: string | readonly string[], option = "issuer"): readonly string[] {
  const issuers = [issuer ?? []].flat();
  if (issuers.length === 0) {
    throw new UsageError(`${option}: expected at least one authorization server, got none`);
  }
  for (const name of issuers) {
    assertSecureUrl(option, name);
    if (/[?#]/.test(name)) {
      throw new UsageError(`${option}: expected a URL without query and fragment, got "${name}"`);
    }
  }
  return issuers;
}

/**
 * The audiences of an option, checked.
 *
 * @throws {@link UsageError}
 */
export function resolveAudiences(audience: string | readonly string[]): readonly string[] {
  const audiences = [audience ?? []].flat();
  if (audiences.length === 0 || audiences.some((name) => typeof name !== "string" || name.trim() === "")) {
    throw new UsageError(
      "audience: expected the name under which tokens are issued for this server, got none; without it tokens for other servers would be accepted",
    );
  }
  return audiences;
}

function isSecureUrl(text: string): boolean {
  const url = parseUrl(text);
  return url?.protocol === "https:" || (url?.protocol === "http:" && isLoopbackHost(url.hostname));
}
