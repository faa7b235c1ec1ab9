import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openChangingSession } from "../../../test/fixtures/fake-session.ts";
import type { StatelessServer } from "../../../test/fixtures/stateless-server.ts";
import { turn } from "../../../test/fixtures/turn.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { Change } from "./session-changes.ts";

const toolsChanged = "notifications/tools/list_changed";

describe("the end of a subscription on a pipe", () => {
  const ends: readonly (readonly [string, (server: StatelessServer) => void])[] = [
    ["a result", (server) => server.subscriptions[0]?.end()],
    [
      "a notification",
      (server) => server.notify("notifications/cancelled", { requestId: server.subscriptions[0]?.id }),
    ],
    [
      "a notification, then a result",
      (server) => {
        server.notify("notifications/cancelled", { requestId: server.subscriptions[0]?.id });
        server.subscriptions[0]?.end();
      },
    ],
  ];
  for (const [what, end] of ends) {
    it(`is one end by ${what} [M-CANCEL-003] [PP-046]`, async () => {
      const { server, session, codes } = await openChangingSession();
      const ended: string[] = [];
      const onEnd = (reason: string, reopens: boolean): number => ended.push(`${reason} ${reopens}`);
      await session.listen({ toolsListChanged: true }, { onChange: () => undefined, onEnd });
      server.notify("notifications/cancelled", { requestId: 12_345 });
      server.notify("notifications/cancelled", {});
      await turn();
      assert.deepEqual(ended, []);
      end(server);
      await turn();
      await turn();
      assert.deepEqual(ended, ["ended true"]);
      assert.ok(!codes().includes("MCP_D_LATE_RESPONSE"));
      await session.ping();
      await session.close();
    });
  }

  it("is not brought about by cancellations of others or of nothing [M-CANCEL-004]", async () => {
    const { server, session } = await openChangingSession({}, { "tools/call": () => ({ content: [] }) });
    const changes: Change[] = [];
    await session.listen({ toolsListChanged: true }, { onChange: (change) => changes.push(change) });
    const before = server.received.length;
    for (const params of [{}, { requestId: null }, { requestId: "0" }, { requestId: 4_711 }]) {
      server.notify("notifications/cancelled", params as JsonObject);
    }
    server.tell(server.subscriptions[0]?.id ?? 0, toolsChanged);
    await turn();
    assert.equal(changes.length, 1);
    assert.equal(server.received.length, before);
    await session.close();
  });
});
