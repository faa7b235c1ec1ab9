// A protected server, and clients that log in to it: on a person's machine, and as a web application. Servers, browser and
// person are in this process; what is between them is HTTP.

import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { AuthorizationRequiredError, InsufficientScopeError } from "parley-mcp";
import { authorizationCode, createOAuthClient } from "parley-mcp/auth/client";
import { createLogin } from "parley-mcp/auth/client/node";
import { protectResource } from "parley-mcp/auth/resource";
import { connect } from "parley-mcp/connect/node";
import { createNodeHandler } from "parley-mcp/http/node";
import { createHttpHandler } from "parley-mcp/http/server";
import { defineServer, tool } from "parley-mcp/server";
import { createMemoryStore } from "parley-mcp/store";
import { z } from "zod";
import { startAuthorizationServer } from "./authorization-server.ts";

const login = await startAuthorizationServer();
const server = createServer();
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;

// #region tools
const app = defineServer({
  name: "notes",
  version: "1.0.0",
  tools: {
    whoAmI: tool({ description: "Says who calls" }, (_args, ctx) => ctx.auth?.subject ?? "nobody"),
    write: tool({ description: "Writes a note", scopes: ["notes:write"] }, () => "written"),
    drop: tool({ description: "Drops a folder", input: z.object({ folder: z.string() }) }, ({ folder }, ctx) => {
      // `scopes` says what every call needs; this one depends on the arguments.
      if (folder === "archive" && !ctx.auth?.scopes.includes("notes:admin")) {
        throw new InsufficientScopeError(["notes:admin"], "the archive");
      }
      return `dropped ${folder}`;
    }),
  },
});
// #endregion

// #region protect
const auth = protectResource({
  issuer: login.issuer, // whose tokens are accepted
  audience: url, // the public URL of the endpoint; a token for anything else is refused
  scopes: ["notes:read"], // every request needs these
  scopesSupported: ["notes:read", "notes:write", "notes:admin"],
  scopeHierarchy: { "notes:write": ["notes:read"] },
});
const handler = createHttpHandler(app, { auth });
// #endregion

server.on("request", createNodeHandler(handler)); // every path: the metadata lies beside the endpoint
const refused = await fetch(url, { method: "POST" });
assert.equal(refused.status, 401);
assert.equal(
  refused.headers.get("www-authenticate"),
  `Bearer scope="notes:read", resource_metadata="${new URL("/.well-known/oauth-protected-resource/mcp", url)}"`,
);

/** What a browser and a person who agrees do: follow redirects until a page is there. */
const pages: string[] = [];
const browse = async (page: string): Promise<void> => {
  pages.push(page);
  await (await fetch(page)).text();
};

{
  // #region login
  const auth = createLogin({
    clientName: "Notes",
    scopes: ["notes:read"],
    openBrowser: browse, // leave it out: the person's own browser
    storage: "memory", // leave it out: a file that only its owner can read
  });
  const client = await connect<typeof app>(url, { auth });
  assert.deepEqual(await client.tools.whoAmI(), [{ type: "text", text: "ada" }]);
  // #endregion
  assert.equal(pages.length, 1);

  // #region step-up
  // The token lacks "notes:write": one more page is opened, and the call is made again.
  assert.deepEqual(await client.tools.write(), [{ type: "text", text: "written" }]);
  assert.equal(new URL(pages.at(-1) ?? "").searchParams.get("scope"), "notes:read notes:write");
  // #endregion
  assert.deepEqual(await client.tools.drop({ folder: "archive" }), [{ type: "text", text: "dropped archive" }]);
  assert.equal(pages.length, 3);

  // #region explain
  const steps = auth.explain(url).map(({ stage, outcome, detail }) => `${stage} ${outcome}: ${detail}`);
  assert.match(steps.join("\n"), /^resource-metadata ok: .*\nserver-metadata ok: .*\nregistration ok: /m);
  // #endregion
  await client.close();
  await auth.logout(url);
}

{
  // #region web
  const auth = createOAuthClient({
    grant: authorizationCode({
      client: { clientName: "Notes on the web" },
      redirectUri: "https://notes.example.com/callback", // a page of the application's own
    }),
    store: createMemoryStore(), // one that all its processes share, in a real application
    account: "session of Ada", // one for each user: nothing tells users apart but this
    scopes: ["notes:read"],
  });
  const page = await connect(url, { auth }).catch((error: unknown) => {
    assert.ok(error instanceof AuthorizationRequiredError);
    return error.url; // answer the request with a redirect to it
  });
  // #endregion
  const back = (await fetch(String(page), { redirect: "manual" })).headers.get("location") ?? "";
  // #region complete
  const { server: endpoint } = await auth.complete(back); // at the callback: its address, with all that was appended
  const client = await connect<typeof app>(endpoint, { auth });
  // #endregion
  assert.deepEqual(await client.tools.whoAmI(), [{ type: "text", text: "ada" }]);
  await client.close();
}

{
  const screen = new EventEmitter();
  const printed = once(screen, "text");
  // #region headless
  const auth = createLogin({
    clientName: "Notes without a screen",
    openBrowser: false, // the link is printed; the answer still comes to a port of this machine
    print: (text) => screen.emit("text", text), // leave it out: a line on standard error
    storage: "memory",
  });
  // #endregion
  const opening = connect<typeof app>(url, { auth });
  await browse(/http\S+/.exec(String(await printed))?.[0] ?? "");
  await (await opening).close();
}

handler.close();
server.close();
server.closeAllConnections();
login.close();
