// Scenarios about authorization: the client logs in by itself wherever a server asks for it, so all there is to choose
// is how, and to use what the server has. In some the server does what must make the client give up.

import type { AuthorizationStage } from "parley-mcp";
import { callEveryTool } from "./headers.ts";
import {
  boundLogin,
  enterpriseLogin,
  keyLogin,
  personLogin,
  preregisteredLogin,
  registeringLogin,
  secretLogin,
  workloadLogin,
} from "./logins.ts";
import type { CreateAuth, Scenario } from "./play.ts";

/** Scenarios in which a person logs in, and nothing else is to be known. */
const plain: readonly string[] = [
  ...["metadata-default", "metadata-var1", "metadata-var2", "metadata-var3", "basic-cimd"],
  ...["2025-03-26-oauth-metadata-backcompat", "2025-03-26-oauth-endpoint-fallback"],
  ...["scope-from-www-authenticate", "scope-from-scopes-supported", "scope-omitted-when-undefined", "scope-step-up"],
  ...["token-endpoint-auth-basic", "token-endpoint-auth-post", "token-endpoint-auth-none"],
  ...["offline-access-not-supported", "authorization-server-migration", "iss-supported", "iss-not-advertised"],
];

/** Scenarios with another way to log in. */
const special: Readonly<Record<string, CreateAuth>> = {
  "offline-access-scope": registeringLogin,
  "pre-registration": preregisteredLogin,
  "client-credentials-basic": secretLogin,
  "client-credentials-jwt": keyLogin,
  "enterprise-managed-authorization": enterpriseLogin,
  "wif-jwt-bearer": workloadLogin,
  dpop: boundLogin,
  "dpop-nonce": boundLogin,
};

/** Scenarios in which the client must give up, and where. */
const refusals: Readonly<Record<string, AuthorizationStage>> = {
  "resource-mismatch": "resource-metadata",
  "metadata-issuer-mismatch": "server-metadata",
  "iss-supported-missing": "authorization",
  "iss-wrong-issuer": "authorization",
  "iss-unexpected": "authorization",
  "iss-normalized": "authorization",
  "scope-retry-limit": "access",
};

/** All of them by name. */
export const authorizationScenarios: readonly (readonly [name: string, scenario: Scenario])[] = [
  ...plain.map((name) => toEntry(name, { createAuth: personLogin })),
  ...Object.entries(special).map(([name, createAuth]) => toEntry(name, { createAuth })),
  ...Object.entries(refusals).map(([name, givesUpAt]) => toEntry(name, { createAuth: personLogin, givesUpAt })),
];

function toEntry(name: string, scenario: Omit<Scenario, "play">): readonly [name: string, scenario: Scenario] {
  return [`auth/${name}`, { play: callEveryTool, ...scenario }];
}
