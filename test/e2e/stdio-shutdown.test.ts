// Closing a client of a program that does not want to end.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createStdioChannel } from "parley-mcp/stdio/client";
import { createPeer, runFixture } from "../fixtures/stdio/open-link.ts";
import { within } from "../fixtures/within.ts";

const shutdown = { stdinTimeoutMs: 60, termTimeoutMs: 60, killTimeoutMs: 5_000 };

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe("closing the channel to a program", () => {
  for (const flags of [[], ["--ignore-eof"], ["--ignore-eof", "--ignore-term"]]) {
    it(`ends it, by force in the end, with ${flags.join(" ") || "no resistance"} [M-STDIO-005] [STDIO-010]`, async () => {
      const channel = createStdioChannel({ ...runFixture("raw-server.ts", ...flags), shutdown });
      const link = createPeer(channel);
      await link.start({ dispatch: async () => undefined });
      await link.request({ method: "echo", params: {} });
      const { pid } = channel;
      assert.ok(pid !== undefined && isRunning(pid));
      await within(link.close(), "the end of the program", 10_000);
      assert.equal(isRunning(pid), false);
    });
  }
});
