// The architecture as data: layers, which package is allowed where, and the few named exceptions.
// `check-layers.ts` holds the rules; this file is what one edits (with a page in docs/decisions/) to change them.

/** Folder directly under `src/` to its layer: a file may import its own folder and lower layers. */
export const layers: Readonly<Record<string, number>> = {
  base: 0,
  jsonrpc: 1,
  store: 1,
  protocol: 2,
  revision: 3,
  schema: 3,
  tasks: 4,
  memory: 4,
  stdio: 4,
  http: 4,
  auth: 4,
  server: 5,
  client: 5,
  connect: 6,
  bridge: 6,
  test: 7,
  cli: 7,
  inspector: 7,
};

/** What the root entry may gather: protocol types, error classes, constants, and nothing that runs. */
export const rootEntryFolders: readonly string[] = ["base", "jsonrpc", "protocol", "revision"];

/** Third-party package to the paths under `src/` (files, or folders ending in a slash) that may import it. */
export const packages: Readonly<Record<string, readonly string[]>> = {
  "@clack/prompts": ["cli/"],
  "@napi-rs/keyring": ["auth/client/storage/keychain.node.ts"],
  "@preact/signals": ["inspector/"],
  "@redis/client": ["store/redis/"],
  "@standard-schema/spec": ["schema/"],
  "@std-uritemplate/std-uritemplate": ["protocol/uri-template.ts"],
  commander: ["cli/"],
  "cross-spawn": ["stdio/"],
  "eventsource-parser": ["http/"],
  jose: ["auth/", "server/asking/request-state.ts"],
  libsql: ["store/sqlite/"],
  oauth4webapi: ["auth/"],
  "oidc-provider": ["auth/server/"],
  preact: ["inspector/"],
};

/** Files of `store/` that every layer above may import: contracts, what is written above them, and the default backend. */
export const storeContracts: readonly string[] = [
  "contracts.ts",
  "entry.ts",
  "error.ts",
  "feed.ts",
  "joined-store.ts",
  "lease.ts",
  "memory.ts",
  "open.node.ts",
  "presence.ts",
];

/** Entries of the store folder, which may import its backends, and whoever opens a store by its address. */
export const storeEntries: readonly string[] = [
  "store/index.ts",
  "store/open.node.ts",
  "store/sqlite/open.node.ts",
  "store/redis/open.node.ts",
  "connect/serve.node.ts",
];

/** Names that say nothing about what is inside. */
export const drawerNames: readonly string[] = ["util", "utils", "helper", "helpers", "common", "shared", "misc"];
