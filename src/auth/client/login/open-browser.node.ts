/**
 * Opens a page in the person's browser, by the opener of the operating system and without any shell.
 *
 * The address is one argument of its own and begins with its scheme, so nothing in it is ever a command or an option.
 * Whether the page was really shown cannot be known; only that nothing failed.
 * Specification: Security Best Practices > Authorization URLs.
 */
import { spawn } from "node:child_process";
import process from "node:process";
import { createDeferred } from "../../../base/deferred.ts";
import { type Clock, systemClock } from "../../../base/timer.ts";
import { toBrowserUrl } from "../../browser-url.ts";

/** An opener that runs for so long shows the page itself, so that it has not failed. In milliseconds. */
const patienceMs = 3_000;

/** Most entries of `BROWSER` that are tried. */
const maxBrowsers = 4;

/** A program with its arguments, the address among them. */
interface Opener {
  readonly command: string;
  readonly args: readonly string[];
}

/**
 * Starts a program without a shell.
 *
 * @returns its exit code, once it ends by itself; -1 where a signal ended it
 * @throws where it cannot be started
 */
export type StartOpener = (command: string, args: readonly string[]) => Promise<number>;

/** Options of {@link openBrowser}. */
export interface OpenBrowserOptions {
  /** Default: that of this process. */
  readonly platform?: string | undefined;
  /** Default: those of this process. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Default: a process that outlives this one. */
  readonly start?: StartOpener | undefined;
  /** Default: the system's. */
  readonly clock?: Clock | undefined;
}

/** What became of {@link openBrowser}. */
export type OpenOutcome = { readonly ok: true } | { readonly ok: false; readonly reason: string };

/**
 * Opens a page in the person's browser.
 *
 * `BROWSER` is respected outside Windows: commands separated by colons, each with arguments separated by spaces, of
 * which `%s` stands for the address; `none` opens nothing.
 *
 * @param url - `https:`, or `http:` on loopback
 * @returns why it could not be opened, where it could not
 * @throws UsageError for any other address; nothing is started then
 */
export async function openBrowser(url: string, options: OpenBrowserOptions = {}): Promise<OpenOutcome> {
  const { platform = process.platform, env = process.env, start = startDetached, clock = systemClock } = options;
  const openers = listOpeners(toBrowserUrl(url), platform, env);
  if (typeof openers === "string") {
    return { ok: false, reason: openers };
  }
  const failures: string[] = [];
  for (const opener of openers) {
    const failure = await tryOpener(opener, start, clock);
    if (failure === undefined) {
      return { ok: true };
    }
    failures.push(failure);
  }
  return { ok: false, reason: failures.join("; ") };
}

/** What to try, in this order; or why nothing is. */
function listOpeners(
  page: string,
  platform: string,
  env: Readonly<Record<string, string | undefined>>,
): readonly Opener[] | string {
  if (platform === "win32") {
    return [handlerOfWindows(`${env.SystemRoot ?? "C:\\Windows"}\\System32\\rundll32.exe`, page)];
  }
  const chosen = env.BROWSER?.trim();
  if (chosen === "none") {
    return "the variable BROWSER says none";
  }
  if (chosen !== undefined && chosen !== "") {
    return chosen
      .split(":")
      .slice(0, maxBrowsers)
      .flatMap((command) => toOpener(command, page));
  }
  if (platform === "darwin") {
    return isRemote(env) ? "this is a remote shell" : [{ command: "open", args: [page] }];
  }
  if (env.WSL_DISTRO_NAME !== undefined) {
    const windows = handlerOfWindows("/mnt/c/Windows/System32/rundll32.exe", page);
    return [{ command: "wslview", args: [page] }, windows, { command: "xdg-open", args: [page] }];
  }
  // Without a display, xdg-open takes over the terminal with a browser for text.
  if (!env.DISPLAY && !env.WAYLAND_DISPLAY) {
    return "there is no display";
  }
  return [
    { command: "xdg-open", args: [page] },
    { command: "gio", args: ["open", page] },
  ];
}

/** Windows' own handler of addresses. Unlike `start`, it has no syntax in which `&` means something. */
function handlerOfWindows(command: string, page: string): Opener {
  return { command, args: ["url.dll,FileProtocolHandler", page] };
}

function isRemote(env: Readonly<Record<string, string | undefined>>): boolean {
  return env.SSH_CONNECTION !== undefined || env.SSH_TTY !== undefined;
}

/** One entry of `BROWSER`. Split first and filled in afterwards: the address is never split. */
function toOpener(entry: string, page: string): readonly Opener[] {
  const [command, ...words] = entry.trim().split(/\s+/);
  if (command === undefined || command === "") {
    return [];
  }
  const args = words.map((word) => word.split("%s").join(page));
  return [{ command, args: words.some((word) => word.includes("%s")) ? args : [...args, page] }];
}

/** Why an opener did not work; `undefined` where nothing says that it did not. */
async function tryOpener({ command, args }: Opener, start: StartOpener, clock: Clock): Promise<string | undefined> {
  const patience = createDeferred<undefined>();
  const cancel = clock.after(patienceMs, () => patience.resolve(undefined));
  const ended = start(command, args).then(
    (code) => (code === 0 ? undefined : `${command} ended with exit code ${code}`),
    (error: unknown) => `${command} could not be started: ${error instanceof Error ? error.message : String(error)}`,
  );
  try {
    return await Promise.race([ended, patience.promise]);
  } finally {
    cancel();
  }
}

/** In a session of its own, so that the browser outlives this process and gets none of its signals. */
function startDetached(command: string, args: readonly string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { detached: true, stdio: "ignore", shell: false });
    child.once("error", reject);
    child.once("exit", (code) => resolve(code ?? -1));
    child.unref();
  });
}
