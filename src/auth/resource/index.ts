/** Entry "./auth/resource": access tokens verified in front of a server, and the metadata that leads clients to them. */
export type { Fetch, FetchInit } from "../fetch.ts";
export type { Denial } from "./denial.ts";
export type { DpopOptions } from "./dpop.ts";
export { protectResource } from "./guard.ts";
export {
  type IntrospectionChecks,
  type IntrospectionVerifierOptions,
  introspectionVerifier,
} from "./introspection.ts";
export { type JwtChecks, type JwtVerifierOptions, jwtVerifier } from "./jwt.ts";
export type {
  ReplyHeaders,
  ResourceAuthentication,
  ResourceGuard,
  ResourceReply,
  ResourceRequest,
} from "./message.ts";
export type { ResourceOptions, TokenChecks } from "./options.ts";
export { requireUserAuthentication, type TokenRequirement, type UserAuthentication } from "./requirement.ts";
export type { ScopeHierarchy } from "./scopes.ts";
export {
  isVerifierUnavailable,
  TokenRejectedError,
  type VerifiedToken,
  type Verifier,
  type VerifierContext,
  VerifierUnavailableError,
} from "./verifier.ts";
