// The ways in which the client comes by tokens, one for each kind of authorization scenario. Where there are facts to know
// beforehand, such as a client id, they come from the scenario's context.

import {
  type AuthorizationCodeOptions,
  authorizationCode,
  clientCredentials,
  createOAuthClient,
  enterpriseManaged,
  type Grant,
  type OAuthClient,
  workloadIdentity,
} from "parley-mcp/auth/client";
import { browser } from "./browser.ts";
import { type CreateAuth, readFact } from "./play.ts";

const client = { clientName: "parley-everything-client", softwareVersion: "1.0.0" };
/** What the suite expects as the id where a server takes addresses of metadata documents. It is never fetched. */
const clientIdUrl = "https://conformance-test.local/client-metadata.json";

/** A person logs in, and the client is known by its document or registers itself. */
export const personLogin: CreateAuth = () => createAuth(byPerson({ clientIdUrl }));

/** The same without a document, so that what the client says of itself at its registration is seen. */
export const registeringLogin: CreateAuth = () => createAuth(byPerson({}));

/** The same with tokens that are bound to a key. */
export const boundLogin: CreateAuth = () => createOAuthClient({ grant: byPerson({ clientIdUrl }), dpop: true });

/** A person logs in, and the client has an id that was agreed on. */
export const preregisteredLogin: CreateAuth = (context) =>
  createAuth(
    byPerson({
      preregistered: [
        {
          issuer: readFact(context, "issuer"),
          clientId: readFact(context, "client_id"),
          clientSecret: readFact(context, "client_secret"),
        },
      ],
    }),
  );

/** The program is known by a secret. */
export const secretLogin: CreateAuth = (context) =>
  createAuth(
    clientCredentials({
      clientId: readFact(context, "client_id"),
      clientSecret: readFact(context, "client_secret"),
    }),
  );

/** The program signs with a key. */
export const keyLogin: CreateAuth = (context) =>
  createAuth(
    clientCredentials({
      clientId: readFact(context, "client_id"),
      privateKey: readFact(context, "private_key_pem"),
      algorithm: readFact(context, "signing_algorithm"),
    }),
  );

/** The enterprise's identity provider decides, found by its own metadata. */
export const enterpriseLogin: CreateAuth = (context) =>
  createAuth(
    enterpriseManaged({
      idp: { issuer: readFact(context, "idp_issuer"), clientId: readFact(context, "idp_client_id") },
      subjectToken: () => readFact(context, "idp_id_token"),
      client: { clientId: readFact(context, "client_id"), clientSecret: readFact(context, "client_secret") },
    }),
  );

/** The platform vouches for the program. */
export const workloadLogin: CreateAuth = (context) =>
  createAuth(
    workloadIdentity({
      clientId: readFact(context, "client_id"),
      assertion: () => readFact(context, "valid_jwt"),
    }),
  );

function byPerson(options: Pick<AuthorizationCodeOptions, "clientIdUrl" | "preregistered">): Grant {
  return authorizationCode({ client, userAgent: browser, ...options });
}

function createAuth(grant: Grant): OAuthClient {
  return createOAuthClient({ grant });
}
