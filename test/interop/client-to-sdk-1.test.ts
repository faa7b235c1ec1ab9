import { before, describe } from "node:test";
import { createHttpLink } from "parley-mcp/http/client";
import { itFollowsCalls, itUsesFeatures } from "./client-contract.ts";
import { createAtEnd } from "./fixtures/at-end.ts";
import { hostOfficial1 } from "./fixtures/official-1-http.ts";
import { openRecorded, type RecordedSession } from "./fixtures/recording-client.ts";
import { describeWaysToConnect } from "./ways-to-connect.ts";

/** SDK 1.x answers an unknown tool with a failed result, where the specification asks for -32602. */
const traits = { unknownTool: "result" } as const;

describeWaysToConnect({
  name: "SDK 1.x",
  host: hostOfficial1,
  program: "official-1-stdio.ts",
  overStdio: {},
  traits,
});

describe("our client with a server of SDK 1.x without sessions", () => {
  const atEnd = createAtEnd();
  let recorded: RecordedSession;
  before(async () => {
    const host = await hostOfficial1("stateless");
    atEnd(() => host.close());
    recorded = await openRecorded(createHttpLink(host.url));
    atEnd(() => recorded.session.close());
  });

  itUsesFeatures(() => recorded, traits);
  itFollowsCalls(() => recorded);
});
