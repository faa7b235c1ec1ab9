import { before, describe } from "node:test";
import { createHttpLink } from "parley-mcp/http/client";
import { createStdioChannel } from "parley-mcp/stdio/client";
import { itFollowsCalls, itUsesFeatures } from "./client-contract.ts";
import { createAtEnd } from "./fixtures/at-end.ts";
import { hostOfficial2 } from "./fixtures/official-2-http.ts";
import { runFixture } from "./fixtures/peer-process.ts";
import { openRecorded, type RecordedSession } from "./fixtures/recording-client.ts";
import { describeWaysToConnect } from "./ways-to-connect.ts";

const traits = { unknownTool: "error" } as const;

describeWaysToConnect({
  name: "SDK 2.x",
  host: hostOfficial2,
  program: "official-2-stdio.ts",
  overStdio: { revision: "2025-11-25" },
  traits,
});

for (const revision of ["2025-11-25", "2026-07-28"]) {
  describe(`our client with a server of SDK 2.x without sessions, ${revision}`, () => {
    const atEnd = createAtEnd();
    let recorded: RecordedSession;
    before(async () => {
      const host = await hostOfficial2("stateless");
      atEnd(() => host.close());
      // The newest one is what the client comes to by itself.
      const pinned = revision === "2025-11-25" ? { revision } : {};
      recorded = await openRecorded(createHttpLink(host.url), {}, pinned);
      atEnd(() => recorded.session.close());
    });

    itUsesFeatures(() => recorded, { ...traits, revision });
    itFollowsCalls(() => recorded);
  });
}

describe("our client with a server of SDK 2.x over stdio, in the newest revision", () => {
  const atEnd = createAtEnd();
  let recorded: RecordedSession;
  before(async () => {
    recorded = await openRecorded(createStdioChannel(runFixture("official-2-stdio.ts")));
    atEnd(() => recorded.session.close());
  });

  itUsesFeatures(() => recorded, { ...traits, revision: "2026-07-28" });
  itFollowsCalls(() => recorded);
});
