/** Entry "./auth/client/node": logging in on a person's own machine, and where its outcome is kept. */

export { createPinnedFetch, type PinnedFetchOptions } from "../pinned-fetch.node.ts";
export { assertionFile } from "./grants/workload-identity.node.ts";
export { createLoopbackAgent, type LoopbackAgentOptions } from "./login/loopback.node.ts";
export type { LoopbackHost } from "./login/loopback-listener.node.ts";
export { createLogin, type LoginOptions } from "./login.node.ts";
export { type CredentialFileOptions, openCredentialFile } from "./storage/credential-file.node.ts";
export { type KeychainOptions, openKeychain } from "./storage/keychain.node.ts";
export type { KeyringEntry, KeyringModule, KeyringOptions } from "./storage/keychain-document.node.ts";
