// One of several processes that share a login, and call a protected tool one time after the other until their standard input
// ends. Arguments: the endpoint, the file of the login, a name, how long before their end tokens are renewed (in
// milliseconds), and the revision, if not the newest.
//
// Tells, a line each: `open <page>` where a person has to log in, `refresh` before a refresh token is sent, `saved` when
// tokens are in the file, `failed <message>`, `slow <ms>` for the longest call so far, and `end <calls>`.

import { createLogin, openCredentialFile } from "parley-mcp/auth/client/node";
import { connect } from "parley-mcp/connect";
import type { KeyValue } from "parley-mcp/store";

const [url = "", path = "", who = "", renewAheadMs = "", revision] = process.argv.slice(2);
const say = (text: string): void => void process.stdout.write(`${text}\n`);

const file = openCredentialFile(path);
const storage: KeyValue = {
  get: (key) => file.get(key),
  delete: (key, options) => file.delete(key, options),
  keys: (prefix) => file.keys(prefix),
  set: async (key, value, options) => {
    const version = await file.set(key, value, options);
    if (value.includes('"accessToken"')) {
      say("saved");
    }
    return version;
  },
};

const auth = createLogin({
  // The port follows from the name: whoever goes on with a login listens where the page comes back to.
  clientName: `endurance ${path}`,
  storage,
  allowPrivateAddresses: true,
  renewAheadMs: Number(renewAheadMs),
  openBrowser: (page) => say(`open ${page}`),
  print: (text) => say(`open ${text.split("\n")[1]}`),
  fetch: (address, init) => {
    if (String(init.body).includes("grant_type=refresh_token")) {
      say("refresh");
    }
    return fetch(address, init);
  },
});

let isOver = false;
process.stdin.resume().once("end", () => {
  isOver = true;
});

let calls = 0;
let slowestMs = 0;
const session = await connect(url, { auth, revision });
while (!isOver) {
  const began = Date.now();
  try {
    await session.callTool("count", { who });
    calls += 1;
  } catch (error) {
    say(`failed ${error instanceof Error ? error.message : String(error)}`);
  }
  if (Date.now() - began > slowestMs) {
    slowestMs = Date.now() - began;
    say(`slow ${slowestMs}`);
  }
}
await session.close();
say(`end ${calls}`);
