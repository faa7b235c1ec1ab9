/**
 * The environment that a server's process starts with: by default only what programs need to run, so that the host's
 * secrets stay with the host.
 *
 * Nothing is set here that the host or the caller did not set.
 */
import process from "node:process";
import { UsageError } from "../base/error.ts";

/**
 * Where a server's environment comes from; the caller's own values go over it.
 *
 * - `safe`: the variables of {@link safeVariables} that the host has
 * - `inherit`: everything the host has, secrets included
 * - `none`: nothing
 */
export type EnvironmentMode = "safe" | "inherit" | "none";

/** On every platform: how to reach the network, and how to speak. Both spellings of the proxies are in use. */
const everywhere: readonly string[] = [
  "ALL_PROXY",
  "HTTPS_PROXY",
  "HTTP_PROXY",
  "NO_PROXY",
  "all_proxy",
  "https_proxy",
  "http_proxy",
  "no_proxy",
  "CURL_CA_BUNDLE",
  "NODE_EXTRA_CA_CERTS",
  "REQUESTS_CA_BUNDLE",
  "SSL_CERT_DIR",
  "SSL_CERT_FILE",
  "LANG",
  "LC_ALL",
  "LC_CTYPE",
  "TERM",
  "TZ",
];

const posix: readonly string[] = [
  "HOME",
  "LOGNAME",
  "PATH",
  "SHELL",
  "TMPDIR",
  "USER",
  "XDG_CACHE_HOME",
  "XDG_CONFIG_HOME",
  "XDG_DATA_HOME",
  "XDG_STATE_HOME",
];

const windows: readonly string[] = [
  "APPDATA",
  "COMMONPROGRAMFILES",
  "COMSPEC",
  "HOMEDRIVE",
  "HOMEPATH",
  "LOCALAPPDATA",
  "NUMBER_OF_PROCESSORS",
  "OS",
  "PATH",
  "PATHEXT",
  "PROCESSOR_ARCHITECTURE",
  "PROGRAMDATA",
  "PROGRAMFILES",
  "PROGRAMFILES(X86)",
  "PROGRAMW6432",
  "SYSTEMDRIVE",
  "SYSTEMROOT",
  "TEMP",
  "TMP",
  "USERDOMAIN",
  "USERNAME",
  "USERPROFILE",
  "WINDIR",
];

/** The names that `safe` takes from the host on a platform. On Windows their case does not matter. */
export function safeVariables(platform: NodeJS.Platform): readonly string[] {
  return [...everywhere, ...(platform === "win32" ? windows : posix)];
}

/** What an environment is made from. */
export interface EnvironmentSource {
  mode: EnvironmentMode;
  /** Values of the caller, which win; `undefined` takes a variable away. */
  env?: Readonly<Record<string, string | undefined>> | undefined;
  /** The host's variables. Default: those of this process. */
  host?: Readonly<Record<string, string | undefined>> | undefined;
  /** Default: the platform of this process. */
  platform?: NodeJS.Platform | undefined;
}

/**
 * Puts an environment together. On Windows two spellings of one name never both end up in it.
 *
 * @throws {@link UsageError} when the mode is none of the three
 */
export function createEnvironment(source: EnvironmentSource): Record<string, string> {
  const { mode, env = {}, host = process.env, platform = process.platform } = source;
  const toKey = (name: string): string => (platform === "win32" ? name.toUpperCase() : name);
  const taken = new Map<string, readonly [name: string, value: string]>();
  for (const [name, value] of Object.entries(fromHost(mode, host, platform, toKey))) {
    if (value !== undefined) {
      taken.set(toKey(name), [name, value]);
    }
  }
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined) {
      taken.delete(toKey(name));
    } else {
      taken.set(toKey(name), [name, value]);
    }
  }
  return Object.fromEntries(taken.values());
}

function fromHost(
  mode: EnvironmentMode,
  host: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform,
  toKey: (name: string) => string,
): Readonly<Record<string, string | undefined>> {
  switch (mode) {
    case "none":
      return {};
    case "inherit":
      return host;
    case "safe": {
      const names = new Set(safeVariables(platform).map(toKey));
      // Some shells export functions as variables, which another shell would run.
      const isSafe = ([name, value]: readonly [string, string | undefined]): boolean =>
        names.has(toKey(name)) && value?.startsWith("()") !== true;
      return Object.fromEntries(Object.entries(host).filter(isSafe));
    }
    default:
      throw new UsageError(`envMode: expected "safe", "inherit" or "none", got ${JSON.stringify(mode)}`);
  }
}
