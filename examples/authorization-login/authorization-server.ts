// An authorization server of the smallest kind, for these examples only: everybody is Ada and agrees to everything, and
// all it knows is gone with the process. A real one is a product, or a service.

import { createHash, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, jwtVerify, SignJWT } from "jose";

/** What a token is for. */
interface Grant {
  readonly clientId: string;
  readonly subject: string;
  readonly scope: string;
  readonly resource: string;
}

/** What a code or a refresh token stands for. */
interface Login extends Grant {
  readonly challenge: string;
}

/** Starts one on a free port of this machine. */
export async function startAuthorizationServer(): Promise<AuthorizationServer> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { privateKey, publicKey } = await generateKeyPair("ES256");
  const published = { ...(await exportJWK(publicKey)), kid: "1", alg: "ES256", use: "sig" };
  const { port } = server.address() as AddressInfo;
  const authorization = new AuthorizationServer(server, `http://127.0.0.1:${port}`, privateKey, published);
  server.on("request", (request, response) => authorization.answer(request, response));
  return authorization;
}

/** A running server. */
export class AuthorizationServer {
  readonly issuer: string;
  /** The grant types of the tokens that were asked for, in order. */
  readonly grants: string[] = [];
  readonly #server: Server;
  readonly #signingKey: CryptoKey;
  readonly #published: JWK;
  readonly #logins = new Map<string, Login>();
  readonly #trusted = new Map<string, JWK>();

  constructor(server: Server, issuer: string, signingKey: CryptoKey, published: JWK) {
    this.#server = server;
    this.issuer = issuer;
    this.#signingKey = signingKey;
    this.#published = published;
  }

  /** Lets programs in that prove themselves by a key, or whose platform does. */
  trust(keyId: string, key: JWK): void {
    this.#trusted.set(keyId, key);
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? "/", this.issuer);
    const answer = (body: object, status = 200): void => {
      response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store" });
      response.end(JSON.stringify(body));
    };
    switch (pathname) {
      case "/.well-known/oauth-authorization-server":
        return answer(this.#describe());
      case "/keys":
        return answer({ keys: [this.#published] });
      case "/register":
        return answer({ ...JSON.parse(await readText(request)), client_id: randomUUID() }, 201);
      case "/authorize":
        response.writeHead(302, { location: this.#authorize(searchParams) }).end();
        return;
      case "/token": {
        const tokens = await this.#redeem(new URLSearchParams(await readText(request))).catch(() => undefined);
        return tokens === undefined ? answer({ error: "invalid_grant" }, 400) : answer(tokens);
      }
      default:
        return answer({}, 404);
    }
  }

  #describe(): object {
    const { issuer } = this;
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      registration_endpoint: `${issuer}/register`,
      jwks_uri: `${issuer}/keys`,
      response_types_supported: ["code"],
      code_challenge_methods_supported: ["S256"],
      token_endpoint_auth_methods_supported: ["none", "private_key_jwt"],
      token_endpoint_auth_signing_alg_values_supported: ["ES256"],
      authorization_response_iss_parameter_supported: true,
    };
  }

  /** Where the browser is sent back to: a real server would show a page first. */
  #authorize(query: URLSearchParams): string {
    const read = (name: string): string => query.get(name) ?? "";
    const [clientId, scope, resource] = [read("client_id"), read("scope"), read("resource")];
    const code = randomUUID();
    this.#logins.set(code, { clientId, subject: "ada", scope, resource, challenge: read("code_challenge") });
    const back = new URL(read("redirect_uri"));
    back.search = new URLSearchParams({ code, state: read("state"), iss: this.issuer }).toString();
    return back.href;
  }

  async #redeem(form: URLSearchParams): Promise<object> {
    const grant = form.get("grant_type") ?? "";
    this.grants.push(grant);
    const assertion = form.get("client_assertion") ?? form.get("assertion");
    return assertion === null ? await this.#redeemLogin(form, grant) : await this.#admitProgram(form, assertion);
  }

  async #redeemLogin(form: URLSearchParams, grant: string): Promise<object> {
    const once = form.get("code") ?? form.get("refresh_token") ?? "";
    const login = this.#logins.get(once);
    this.#logins.delete(once);
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    if (login === undefined || (grant === "authorization_code" && challenge !== login.challenge)) {
      throw new Error("invalid_grant");
    }
    const refreshToken = randomUUID();
    this.#logins.set(refreshToken, login);
    return { ...(await this.#issue(login)), refresh_token: refreshToken };
  }

  async #admitProgram(form: URLSearchParams, assertion: string): Promise<object> {
    const findKey = ({ kid = "" }: { kid?: string }): JWK => this.#trusted.get(kid) ?? {};
    const { payload } = await jwtVerify(assertion, findKey, { audience: this.issuer });
    const { sub: clientId = "" } = payload;
    const [scope, resource] = [form.get("scope") ?? "", form.get("resource") ?? ""];
    return await this.#issue({ clientId, subject: clientId, scope, resource });
  }

  async #issue({ clientId, subject, scope, resource }: Grant): Promise<object> {
    const token = await new SignJWT({ client_id: clientId, scope })
      .setProtectedHeader({ alg: "ES256", typ: "at+jwt", kid: "1" })
      .setIssuer(this.issuer)
      .setAudience(resource)
      .setSubject(subject)
      .setJti(randomUUID())
      .setIssuedAt()
      .setExpirationTime("5 minutes")
      .sign(this.#signingKey);
    return { access_token: token, token_type: "Bearer", expires_in: 300, scope };
  }
}

async function readText(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) {
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}
