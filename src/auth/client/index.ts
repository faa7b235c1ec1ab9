/** Entry "./auth/client": tokens for MCP servers, and a `fetch` that sends them. */
export type { Fetch, FetchFailure, FetchInit, GuardedFetch, GuardedRequest } from "../fetch.ts";
export type { Discovery, ResourceMetadata, ServerMetadata } from "./discovery/discovery.ts";
export type { AcceptResource } from "./discovery/resource-metadata.ts";
export type { Grant, GrantContext, RenewalRequest, RevocationRequest, TokenRequest } from "./grant.ts";
export { type AuthorizationCodeOptions, authorizationCode } from "./grants/authorization-code.ts";
export { type ClientCredentialsOptions, clientCredentials } from "./grants/client-credentials.ts";
export type { ConfiguredClientOptions } from "./grants/configured-client.ts";
export {
  type EnterpriseClient,
  type EnterpriseManagedOptions,
  enterpriseManaged,
  type IdentityProviderOptions,
  type SubjectTokenContext,
  type SubjectTokenSource,
} from "./grants/enterprise.ts";
export type { SubjectToken } from "./grants/id-jag.ts";
export { type IdpSignInOptions, signInAtIdp } from "./grants/idp-sign-in.ts";
export { type WorkloadIdentityOptions, workloadIdentity } from "./grants/workload-identity.ts";
export type { Redirection, UserAgent } from "./login/user-agent.ts";
export { createOAuthClient, type OAuthCallOptions, type OAuthClient } from "./oauth-client.ts";
export type { DpopOptions, OAuthClientOptions, StepUpOptions } from "./options.ts";
export type { AuthorizationRecord, AuthorizationStep, StepOutcome } from "./record.ts";
export {
  type ClientMetadata,
  type ClientMetadataDocument,
  type ClientMetadataFields,
  checkClientMetadataDocument,
  createClientMetadataDocument,
} from "./registration/client-metadata.ts";
export type { PreregisteredClient } from "./registration/registration.ts";
export type { PendingLogin, Registration, RegistrationKind, TokenSet } from "./storage/credential.ts";
export type { Credentials } from "./storage/credentials.ts";
export { type ClientKey, importClientKey } from "./tokens/client-auth.ts";
export type { DpopSigner } from "./tokens/dpop.ts";
export type { DpopKeys } from "./tokens/dpop-keys.ts";
