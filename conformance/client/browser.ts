// The person who logs in: a browser without a screen agrees to everything, and what it is sent back to is the answer.

import type { UserAgent } from "parley-mcp/auth/client";
import { follow } from "../../test/fixtures/auth/headless-browser.ts";

/** Where the browser is sent back to. Nothing listens there: the address itself is all that is wanted. */
const redirectUri = "http://127.0.0.1:33418/callback";

/** Logs in wherever it is sent. */
export const browser: UserAgent = {
  prepare: () =>
    Promise.resolve({
      redirectUri,
      authorize: (url) => follow(url, redirectUri),
      close: () => Promise.resolve(),
    }),
};
