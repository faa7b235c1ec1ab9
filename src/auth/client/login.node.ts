/**
 * A person's login on their own machine, in one call: browser, listener on loopback, and a place for what comes of it.
 *
 * Only joins the parts; each of them can be used by itself. Specification: Basic > Authorization > Authorization Flow.
 */
import type { OnDiagnostic } from "../../base/diagnostic.ts";
import { UsageError } from "../../base/error.ts";
import { holdingClock } from "../../base/timer.ts";
import type { KeyValue } from "../../store/contracts.ts";
import { createMemoryStore } from "../../store/memory.ts";
import { type AuthorizationCodeOptions, authorizationCode } from "./grants/authorization-code.ts";
import { createLoopbackAgent, type LoopbackAgentOptions } from "./login/loopback.node.ts";
import { createOAuthClient, type OAuthClient } from "./oauth-client.ts";
import type { OAuthClientOptions } from "./options.ts";
import type { ClientMetadata } from "./registration/client-metadata.ts";
import { openCredentialFile } from "./storage/credential-file.node.ts";
import { credentialPath } from "./storage/credential-path.node.ts";
import { openKeychain } from "./storage/keychain.node.ts";

/** Options of {@link createLogin}, besides those of its parts. */
export interface LoginOptions
  extends LoopbackAgentOptions,
    Omit<OAuthClientOptions, "grant" | "store">,
    Omit<AuthorizationCodeOptions, "client" | "userAgent" | "redirectUri"> {
  /** Name of the program: on the consent page, in the file's name, and what the port is derived from. Not empty. */
  clientName: string;
  /** What else the program says of itself where it registers. */
  client?: Omit<ClientMetadata, "clientName"> | undefined;
  /**
   * Where logins are kept: a file with mode 0600 in the user's configuration folder, the memory of this process, the
   * keychain (with the file where there is none), or a store of your own. Default `file`.
   */
  storage?: "file" | "memory" | "keychain" | KeyValue | undefined;
}

/**
 * An OAuth client that takes the person to their browser when a server wants a login, and keeps what comes of it.
 *
 * Programs that share the storage share the login: of several that start at once, one opens a page.
 * Specification: Basic > Authorization > Authorization Flow.
 *
 * @throws {@link UsageError} for options that cannot work
 *
 * @example
 * ```ts
 * import { createLogin } from "parley-mcp/auth/client/node";
 * import { connect } from "parley-mcp/connect/node";
 *
 * export async function open(url: string) {
 *   return await connect(url, { auth: createLogin({ clientName: "Notes" }) });
 * }
 * ```
 */
export function createLogin(options: LoginOptions): OAuthClient {
  const {
    clientName,
    client,
    storage = "file",
    host,
    port,
    openBrowser,
    print,
    clock = holdingClock,
    ...rest
  } = options;
  if (typeof clientName !== "string" || clientName.trim() === "") {
    throw new UsageError("clientName: expected the name of the program, got none");
  }
  const { preregistered, clientIdUrl, dynamicRegistration, loginTimeoutMs, prompt, extraParameters, ...common } = rest;
  const grant = authorizationCode({
    client: { ...client, clientName },
    userAgent: createLoopbackAgent({ clientName, host, port, openBrowser, print }),
    preregistered,
    clientIdUrl,
    dynamicRegistration,
    loginTimeoutMs,
    prompt,
    extraParameters,
  });
  return createOAuthClient({ ...common, clock, grant, store: openStorage(storage, options) });
}

function openStorage(
  storage: "file" | "memory" | "keychain" | KeyValue,
  { clientName, onDiagnostic, clock }: LoginOptions,
): KeyValue {
  if (typeof storage !== "string") {
    return storage;
  }
  switch (storage) {
    case "memory":
      // Not on the clock of the login: waiting for a person keeps the process alive, what is remembered does not.
      return createMemoryStore({ clock });
    case "file":
      return openCredentialFile(credentialPath(clientName), { onDiagnostic, clock });
    case "keychain": {
      const report: OnDiagnostic = onDiagnostic ?? (() => undefined);
      const fallback = openCredentialFile(credentialPath(clientName), { onDiagnostic, clock });
      return openKeychain({ service: clientName, fallback, onDiagnostic: report, clock });
    }
    default:
      throw new UsageError(`storage: expected file, memory, keychain or a store, got ${String(storage)}`);
  }
}
