/**
 * What is checked before a request is looked into: host, origin, preflight, caller, in this order.
 *
 * Lists and patterns are asked before authentication, functions behind it, since they are told who calls.
 * Specification: Basic > Transports > Security warning [HTTP-002] [HTTP-003] [PP-106] [PP-107].
 */
import type { AuthInfo } from "../../protocol/types/auth.ts";
import { headerNames } from "../headers.ts";
import { type HttpHeaders, type HttpReply, type HttpRequest, toPath } from "../message.ts";
import { createRefusal, type Refusal } from "../status.ts";
import {
  type AccessPolicy,
  type AccessPredicate,
  type Authority,
  compileHosts,
  compileOrigins,
  isLocalOrigin,
  isLoopbackAuthority,
  type Matcher,
  type Origin,
  parseAuthority,
  parseOrigin,
} from "./access-policy.ts";
import type { HttpAuthenticator } from "./authenticator.ts";
import { type Cors, createCors, isPreflight } from "./cors.ts";
import type { HttpServerOptions } from "./options.ts";

/** A request that may go on, or its reply: a refusal, or a document that anybody may read. */
export type Admission =
  | {
      readonly ok: true;
      readonly auth: AuthInfo | undefined;
      /** Adds what the guard has to say to the reply. */
      readonly finish: (reply: HttpReply) => HttpReply;
    }
  | { readonly ok: false; readonly reply: HttpReply };

/** A policy as a question with two answers: at once, or, where that is `undefined`, by asking the function. */
interface CompiledPolicy<T> {
  /** Decides before authentication, where it can. */
  early(value: T, text: string, host: Authority): boolean | undefined;
  /** Decides behind it. */
  readonly late: AccessPredicate | undefined;
}

const allowAll: CompiledPolicy<unknown> = { early: () => true, late: undefined };

const allowNone: CompiledPolicy<unknown> = { early: () => false, late: undefined };

/** What is known of the origin before the caller is. */
interface OriginVerdict {
  /** Whether it may call; `undefined` where a function has to say. */
  readonly isAllowed: boolean | undefined;
  /** Whether it may call and read by CORS. */
  readonly isShared: boolean | undefined;
}

const noOrigin: OriginVerdict = { isAllowed: true, isShared: false };

/** Decides who gets in. */
export class Guard {
  readonly #hosts: CompiledPolicy<Authority>;
  readonly #origins: CompiledPolicy<Origin>;
  readonly #corsOrigins: CompiledPolicy<Origin>;
  readonly #allowsAnyOrigin: boolean;
  readonly #cors: Cors | undefined;
  readonly #auth: HttpAuthenticator | undefined;

  /** @param methods - what a preflight says is allowed */
  constructor(options: HttpServerOptions, methods: readonly string[]) {
    const { allowedHosts, allowedOrigins, cors } = options;
    this.#allowsAnyOrigin = options.dangerouslyAllowAnyOrigin === true;
    if (options.dangerouslyAllowAnyHost === true) {
      this.#hosts = allowAll;
    } else {
      this.#hosts = allowedHosts === undefined ? loopbackHosts : compile(allowedHosts, compileHosts);
    }
    if (this.#allowsAnyOrigin) {
      this.#origins = allowAll;
    } else {
      this.#origins =
        allowedOrigins === undefined ? localOrigins : compileOriginPolicy("allowedOrigins", allowedOrigins);
    }
    this.#corsOrigins = cors === undefined ? allowNone : compileOriginPolicy("cors.origins", cors.origins);
    this.#cors = cors && createCors(cors, methods);
    this.#auth = options.auth;
  }

  /** Admits a request or refuses it. */
  async admit(request: HttpRequest): Promise<Admission> {
    const origin = request.header(headerNames.origin);
    const hostText = request.authority?.toLowerCase() ?? "";
    const host = parseAuthority(hostText);
    if (host === undefined) {
      return refuse("badHost", "Host: expected a host name, with or without a port, got none or a malformed one");
    }
    const isHostAllowed = this.#hosts.early(host, hostText, host);
    if (isHostAllowed === false) {
      return refuse("forbidden", `Host: "${host.hostname}" is not allowed; list it in allowedHosts to serve under it`);
    }
    const document = this.#auth?.documents?.get(toPath(request.url));
    if (document !== undefined) {
      return { ok: false, reply: document(request) };
    }
    const verdict = origin === undefined ? noOrigin : this.#judge(origin, host);
    if (verdict.isAllowed === false && verdict.isShared === false) {
      return refuseOrigin();
    }
    const ask = async (policy: CompiledPolicy<never>, text: string, auth: AuthInfo | undefined): Promise<boolean> =>
      (await policy.late?.(text, request, auth)) ?? false;
    if (origin !== undefined && isPreflight(request)) {
      if (this.#cors === undefined) {
        return refuse(
          "forbidden",
          "Origin: pages of other origins may not call this server; list theirs in cors.origins",
        );
      }
      const isShared = verdict.isShared ?? (await ask(this.#corsOrigins, origin, undefined));
      const requested = request.header("access-control-request-headers");
      return isShared ? { ok: false, reply: this.#cors.preflight(origin, requested) } : refuseOrigin();
    }
    const authentication = await this.#auth?.authenticate(request);
    const auth = authentication?.ok === true ? authentication.auth : undefined;
    const isShared = verdict.isShared ?? (await ask(this.#corsOrigins, origin ?? "", auth));
    const headers = isShared && origin !== undefined ? this.#cors?.headersFor(origin) : undefined;
    if (authentication?.ok === false) {
      return { ok: false, reply: withHeaders(authentication.reply, headers) };
    }
    if (!(isShared || (verdict.isAllowed ?? (await ask(this.#origins, origin ?? "", auth))))) {
      return refuseOrigin();
    }
    if (!(isHostAllowed ?? (await ask(this.#hosts, hostText, auth)))) {
      return refuse("forbidden", `Host: "${host.hostname}" is not allowed for this caller`);
    }
    const { headers: own } = authentication ?? {};
    const added = own === undefined ? headers : { ...own, ...headers };
    return { ok: true, auth, finish: (reply) => withHeaders(this.#challenge(reply, auth, request), added) };
  }

  /** A reply that was refused for want of scopes says which ones would do [AUTH-065]. */
  #challenge(reply: HttpReply, auth: AuthInfo | undefined, request: HttpRequest): HttpReply {
    const scopes = reply.kind === "text" ? reply.neededScopes : undefined;
    return scopes === undefined ? reply : withHeaders(reply, this.#auth?.challengeScopes?.(scopes, auth, request));
  }

  #judge(text: string, host: Authority): OriginVerdict {
    const origin = parseOrigin(text);
    if (origin === undefined) {
      return { isAllowed: this.#allowsAnyOrigin, isShared: false };
    }
    return {
      isAllowed: this.#origins.early(origin, text, host),
      isShared: this.#corsOrigins.early(origin, text, host),
    };
  }
}

const loopbackHosts: CompiledPolicy<Authority> = { early: isLoopbackAuthority, late: undefined };

const localOrigins: CompiledPolicy<Origin> = {
  early: (origin, _, host) => isLocalOrigin(origin, host),
  late: undefined,
};

/** Adds headers to a reply. */
export function withHeaders<T extends HttpReply>(reply: T, headers: HttpHeaders | undefined): T {
  return headers === undefined ? reply : { ...reply, headers: { ...reply.headers, ...headers } };
}

function compile<T>(
  policy: AccessPolicy,
  compileList: (list: readonly (string | RegExp)[]) => Matcher<T>,
): CompiledPolicy<T> {
  return typeof policy === "function"
    ? { early: () => undefined, late: policy }
    : { early: compileList(policy), late: undefined };
}

function compileOriginPolicy(option: string, policy: AccessPolicy): CompiledPolicy<Origin> {
  return compile(policy, (list) => compileOrigins(option, list));
}

function refuse(refusal: Refusal, message: string): Admission {
  return { ok: false, reply: createRefusal(refusal, message) };
}

function refuseOrigin(): Admission {
  return refuse("forbidden", "Origin: this web page may not call this server; list its origin in allowedOrigins");
}
