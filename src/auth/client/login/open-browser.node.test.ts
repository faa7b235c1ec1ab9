import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { createFakeClock } from "../../../test/clock.ts";
import { type OpenBrowserOptions, type OpenOutcome, openBrowser } from "./open-browser.node.ts";

type Started = readonly [string, ...(readonly string[])];

/** Openers alone do not keep a process alive; a listener does, while somebody waits. */
function holdProcess(context: TestContext): void {
  const hold = setInterval(() => undefined, 60_000);
  context.after(() => clearInterval(hold));
}

/** Opens with programs that all end with one exit code, and lists them. */
async function open(
  url: string,
  { code = 0, ...options }: OpenBrowserOptions & { code?: number },
): Promise<{ readonly started: readonly Started[]; readonly outcome: OpenOutcome }> {
  const started: Started[] = [];
  const start = (command: string, args: readonly string[]): Promise<number> => {
    started.push([command, ...args]);
    return Promise.resolve(code);
  };
  return { outcome: await openBrowser(url, { clock: createFakeClock(), start, ...options }), started };
}

const page = new URL("https://as.example/authorize?a=1&calc=$(touch%20x)&b=`id`;c|d>e^f%PATH%").href;
const display = { DISPLAY: ":0" };

describe("openBrowser", () => {
  it("passes an address with everything that shells know as one argument to the native opener [SEC-026]", async () => {
    const handler = "url.dll,FileProtocolHandler";
    assert.deepEqual((await open(page, { platform: "darwin", env: {} })).started, [["open", page]]);
    assert.deepEqual((await open(page, { platform: "linux", env: display })).started, [["xdg-open", page]]);
    assert.deepEqual((await open(page, { platform: "win32", env: { SystemRoot: "D:\\W" } })).started, [
      ["D:\\W\\System32\\rundll32.exe", handler, page],
    ]);
    assert.deepEqual((await open(page, { platform: "linux", env: { WSL_DISTRO_NAME: "Debian" } })).started, [
      ["wslview", page],
    ]);
  });

  it("hands a real program the address unchanged, and runs nothing that is in it [SEC-026]", async (context) => {
    holdProcess(context);
    const folder = mkdtempSync(join(tmpdir(), "parley-open-"));
    context.after(() => rmSync(folder, { recursive: true, force: true }));
    const program = join(folder, "browser.cjs");
    const seen = join(folder, "seen.json");
    writeFileSync(program, "require('node:fs').writeFileSync(process.argv[2], JSON.stringify(process.argv.slice(3)));");
    const url = `https://as.example/?x=$(touch%20${folder}/made)&touch\${IFS}${folder}/made;%s`;
    const env = { BROWSER: `${process.execPath} ${program} ${seen}` };
    assert.deepEqual(await openBrowser(url, { platform: "linux", env, clock: createFakeClock() }), { ok: true });
    assert.deepEqual(JSON.parse(readFileSync(seen, "utf8")), [new URL(url).href]);
    assert.throws(() => readFileSync(join(folder, "made")), { code: "ENOENT" });
  });

  it("starts nothing for other schemes, http to other hosts, and what is no address [SEC-024] [SEC-025]", async () => {
    const refused = [
      "javascript:alert(1)",
      "file:///etc/passwd",
      "data:text/html,x",
      "vbscript:x",
      "foo://as.example/",
      "http://as.example/authorize",
      "http://localhost.as.example/",
      "--help",
      "calc.exe",
      "",
    ];
    for (const url of refused) {
      const start = (): Promise<number> => assert.fail(`started for ${url}`);
      await assert.rejects(openBrowser(url, { platform: "linux", env: display, start }), { code: "MCP_USAGE" });
    }
  });

  it("opens http on loopback, for authorization servers in development [SEC-024]", async () => {
    for (const url of ["http://localhost:3000/a", "http://127.0.0.1/a", "http://[::1]:3000/a"]) {
      assert.deepEqual((await open(url, { platform: "linux", env: display })).outcome, { ok: true });
    }
  });

  it("opens no address with white space or control characters, and writes quotes as URLs do [SEC-027]", async () => {
    const options = { platform: "darwin", env: {} };
    for (const url of [
      "https://as.example/a b",
      " https://as.example/",
      "https://as.example/\u0007",
      "https://a\n.b/",
    ]) {
      await assert.rejects(open(url, options), { code: "MCP_USAGE" }, JSON.stringify(url));
    }
    assert.deepEqual((await open('https://as.example/?"q"', options)).started, [
      ["open", "https://as.example/?%22q%22"],
    ]);
  });

  it("tries the next opener where one fails, and says why each did", async () => {
    const failed = await open("https://as.example/", { platform: "linux", env: display, code: 3 });
    assert.deepEqual(
      failed.started.map(([command]) => command),
      ["xdg-open", "gio"],
    );
    assert.deepEqual(failed.outcome, {
      ok: false,
      reason: "xdg-open ended with exit code 3; gio ended with exit code 3",
    });
  });

  it("says so where an opener cannot be started", async (context) => {
    holdProcess(context);
    const env = { BROWSER: "/nowhere/browser" };
    const outcome = await openBrowser("https://as.example/", { platform: "linux", env, clock: createFakeClock() });
    assert.match(outcome.ok ? "" : outcome.reason, /^\/nowhere\/browser could not be started: .*ENOENT/);
  });

  it("counts an opener that goes on running as one that works, and keeps no timer", async () => {
    const clock = createFakeClock();
    const start = (): Promise<number> => new Promise(() => undefined);
    const opened = openBrowser("https://as.example/", { platform: "linux", env: display, clock, start });
    await clock.advance(3_000);
    assert.deepEqual([await opened, clock.pendingTimers], [{ ok: true }, 0]);
  });

  it("respects BROWSER: several, with arguments, with %s for the address, and none", async () => {
    const url = "https://as.example/?x=%s";
    const env = { BROWSER: "firefox --new-tab %s:w3m" };
    const { started } = await open(url, { platform: "linux", env, code: 1 });
    assert.deepEqual(started, [
      ["firefox", "--new-tab", url],
      ["w3m", url],
    ]);
    const none = await open(url, { platform: "darwin", env: { BROWSER: "none" } });
    assert.deepEqual([none.started, none.outcome.ok], [[], false]);
  });

  it("opens nothing where nobody would see it: without a display, or in a remote shell", async () => {
    const shells = [
      { platform: "linux", env: {} },
      { platform: "darwin", env: { SSH_CONNECTION: "a" } },
    ];
    for (const options of shells) {
      const { started, outcome } = await open("https://as.example/", options);
      assert.deepEqual([started, outcome.ok], [[], false]);
    }
  });
});
