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
export { type Auth0Options, auth0 } from "./presets/auth0.ts";
export { type ClerkOptions, clerk } from "./presets/clerk.ts";
export { type CognitoOptions, cognito } from "./presets/cognito.ts";
export { type EntraOptions, entra } from "./presets/entra.ts";
export { type GoogleOptions, google } from "./presets/google.ts";
export { type KeycloakOptions, keycloak } from "./presets/keycloak.ts";
export { type OktaOptions, okta } from "./presets/okta.ts";
export type { ProviderPreset } from "./presets/preset.ts";
export { type SupabaseOptions, supabase } from "./presets/supabase.ts";
export { type WorkosOptions, workos } from "./presets/workos.ts";
export { requireUserAuthentication, type TokenRequirement, type UserAuthentication } from "./requirement.ts";
export type { ScopeHierarchy } from "./scopes.ts";
export type { TokenInfoChecks } from "./token-info.ts";
export type { InterpretClaims, TokenReading } from "./token-reading.ts";
export {
  isVerifierUnavailable,
  TokenRejectedError,
  type VerifiedToken,
  type Verifier,
  type VerifierContext,
  VerifierUnavailableError,
} from "./verifier.ts";
