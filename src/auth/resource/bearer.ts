/**
 * Reads the token of a request: from the `Authorization` header and nowhere else.
 *
 * A token in the query or in the body counts as none. Nothing is verified here.
 * Specification: Basic > Authorization > Access Token Usage; RFC 6750 section 2.1, RFC 9449 section 7.1.
 */
import type { Denial, TokenScheme } from "./denial.ts";
import type { ResourceRequest } from "./message.ts";

/** Longest token that is looked at, in characters. */
const maxTokenLength = 16_384;

/** A token as it came, none, or a header that cannot be read. */
export type Presented =
  | { readonly kind: "token"; readonly scheme: TokenScheme; readonly token: string }
  | { readonly kind: "none" }
  | { readonly kind: "malformed"; readonly scheme: TokenScheme; readonly denial: Denial };

/** Finds the token of a request. Another scheme than the two for tokens counts as none. */
export function parseAuthorization(request: ResourceRequest): Presented {
  const header = request.header("authorization")?.trim() ?? "";
  const name = /^[^\s,]*/.exec(header)?.[0] ?? "";
  const scheme = name.toLowerCase();
  if (scheme !== "bearer" && scheme !== "dpop") {
    return { kind: "none" };
  }
  const token = header.slice(name.length).replace(/^ +/, "");
  if (token.length > maxTokenLength) {
    return malformed(scheme, `expected a token of at most ${maxTokenLength} characters, got ${token.length}`);
  }
  // The alphabet has no comma, so a header that came twice does not fit either.
  if (!/^[A-Za-z0-9\-._~+/]+=*$/.test(token)) {
    return malformed(scheme, `expected one Authorization header of the form "${name} <token>", got another form`);
  }
  return { kind: "token", scheme, token };
}

function malformed(scheme: TokenScheme, message: string): Presented {
  return { kind: "malformed", scheme, denial: { status: 400, error: "invalid_request", message } };
}
