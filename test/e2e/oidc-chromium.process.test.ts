// A complete login as a person does it: the program opens a page, and a real browser goes through all that follows.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Page } from "playwright-core";
import { noChromium, startChromium } from "../fixtures/auth/chromium.ts";
import { connections, OidcRig } from "../fixtures/auth/oidc-rig.node.ts";

if (noChromium !== undefined) {
  process.stderr.write(`${noChromium}\n`);
}

/** Does what the pages ask, and gives the text of the last one. */
async function logIn(page: Page, url: string): Promise<string> {
  await page.goto(url);
  if (await page.getByLabel("Name").isVisible()) {
    await page.getByLabel("Name").fill("ada");
    await page.getByRole("button", { name: "Log in" }).click();
  }
  await page.getByRole("button", { name: "Allow" }).click();
  await page.waitForURL("http://127.0.0.1:*/callback/**");
  return (await page.getByRole("paragraph").textContent()) ?? "";
}

describe("a login in chromium", { skip: noChromium ?? false }, () => {
  for (const [name, revision] of connections) {
    it(`fills in the form, consents, is told to go back to the program, and the call goes on, ${name} [AUTH-007] [AUTH-045] [AUTH-067]`, async (context) => {
      const rig = await OidcRig.start(context);
      const page = await (await startChromium(context)).newPage();
      const failures: string[] = [];
      page.on("pageerror", (error) => failures.push(error.message));
      page.on("console", (message) => failures.push(...(message.type() === "error" ? [message.text()] : [])));
      const endings: Promise<string>[] = [];
      const openBrowser = (url: string): void => void endings.push(logIn(page, url));
      const session = await rig.open(rig.protect(), rig.createLogin({ openBrowser }).auth, { revision });
      assert.deepEqual(await session.tools.read(), [{ type: "text", text: "ada" }]);
      // The browser remembers who that is, so this time there is only the consent.
      assert.deepEqual(await session.tools.write(), [{ type: "text", text: "written" }]);
      const ending = "The program goes on from here. You can close this window.";
      assert.deepEqual(await Promise.all(endings), [ending, ending]);
      assert.deepEqual(failures, []);
      assert.equal(rig.oidc.granted("authorization_code"), 2);
    });
  }
});
