import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { createAtEnd } from "./fixtures/at-end.ts";
import type { ForeignClient } from "./fixtures/foreign-client.ts";
import { openOfficial2Client } from "./fixtures/official-2-client.ts";
import { runFixture } from "./fixtures/peer-process.ts";
import { itAsksAnyhow, itReportsOnCalls, itServesFeatures, textOf } from "./server-contract.ts";
import { describeWaysToServe, startServer } from "./ways-to-serve.ts";

/** SDK 2.x shows its caller the code of the next revision in place of the -32002 that came. */
const traits = { resourceNotFound: -32_602 } as const;

describeWaysToServe({ name: "SDK 2.x", open: openOfficial2Client, traits });

const newest = "2026-07-28";
const modes = {
  "that finds the newest revision": "auto",
  "that insists on the newest revision": { pin: newest },
} as const;

for (const [who, mode] of Object.entries(modes)) {
  for (const over of ["HTTP", "HTTP, always streaming", "stdio"]) {
    describe(`our server over ${over} with a client of SDK 2.x ${who}`, () => {
      const atEnd = createAtEnd();
      let client: ForeignClient;
      before(async () => {
        const options = over === "HTTP" ? {} : { response: "stream" as const };
        const target = over === "stdio" ? runFixture("own-stdio.ts") : { url: (await startServer(atEnd, options)).url };
        client = await openOfficial2Client(target, { mode });
        atEnd(() => client.close());
      });

      it("is found to need no handshake [M-DISC-001] [M-VER-004] [M-HTTP-014]", () => {
        assert.equal(client.revision, newest);
        assert.equal(client.sessionId, undefined);
      });

      // SDK 2.x takes a status of 404 for the answer, whatever JSON-RPC error comes with it.
      const unknownMethod = over === "stdio" ? {} : { unknownMethod: "CLIENT_HTTP_NOT_IMPLEMENTED" };
      itServesFeatures(() => client, { ...traits, isAlone: true, ...unknownMethod });
      if (over !== "stdio") {
        // On a pipe it loses progress that it reads together with the result.
        itReportsOnCalls(() => client);
      }
      itAsksAnyhow(() => client);

      it("tells of changes to who listens, once each [M-SUB-001] [M-SUB-003] [M-SUB-010]", async () => {
        const changed = "notifications/tools/list_changed";
        assert.ok(client.listen);
        const stop = await client.listen({ toolsListChanged: true });
        await client.callTool("change-tools");
        await client.heard.take("the notice", ({ method }) => method === changed);
        await stop();
        await client.callTool("change-tools");
        assert.ok(!client.heard.items.some(({ method }) => method === changed));
      });
    });
  }
}

describe("our server with a client of SDK 2.x that knows older revisions only", () => {
  const atEnd = createAtEnd();

  for (const revision of ["2025-06-18", "2025-03-26", "2024-11-05"]) {
    it(`answers in ${revision} [LIFE-013] [LIFE-017]`, async () => {
      const listener = await startServer(atEnd, {});
      const client = await openOfficial2Client({ url: listener.url }, {}, [revision]);
      atEnd(() => client.close());
      assert.equal(client.revision, revision);
      assert.equal(textOf(await client.callTool("add", { a: 1, b: 1 })), '{"sum":2}');
      assert.match(textOf(await client.callTool("ask-model")), /plum/);
    });
  }
});
