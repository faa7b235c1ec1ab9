/**
 * Where a program keeps its logins unless told otherwise: one file for each program, in the user's configuration folder.
 *
 * Only names the file; nothing is read or made.
 */
import { homedir } from "node:os";
import { posix, win32 } from "node:path";
import process from "node:process";
import { hashText } from "../login/text-hash.ts";

/** Longest readable part of a file's name, in characters. */
const maxSlugLength = 40;

/** What the place depends on. Default: those of this process. */
export interface CredentialPathPlaces {
  readonly platform?: string | undefined;
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  readonly home?: string | undefined;
}

/**
 * The file of a program: `parley/<name>-<hash>.json` in the user's configuration folder. The hash tells names apart that
 * look the same as file names, and keeps clear of the names that Windows reserves.
 *
 * @param clientName - of the program
 */
export function credentialPath(clientName: string, places: CredentialPathPlaces = {}): string {
  const { platform = process.platform, env = process.env, home = homedir() } = places;
  const slug = clientName
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, maxSlugLength)
    .replace(/^-+|-+$/g, "");
  const hash = hashText(clientName).toString(16).padStart(8, "0");
  const { join } = platform === "win32" ? win32 : posix;
  return join(configFolder(platform, env, home), "parley", `${slug === "" ? "client" : slug}-${hash}.json`);
}

function configFolder(platform: string, env: Readonly<Record<string, string | undefined>>, home: string): string {
  if (platform === "win32") {
    return env.APPDATA || win32.join(home, "AppData", "Roaming");
  }
  if (platform === "darwin") {
    return posix.join(home, "Library", "Application Support");
  }
  // A relative one is to be ignored, as the standard of the variable says.
  const chosen = env.XDG_CONFIG_HOME;
  return chosen !== undefined && posix.isAbsolute(chosen) ? chosen : posix.join(home, ".config");
}
