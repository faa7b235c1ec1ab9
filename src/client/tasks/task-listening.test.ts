import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { extensionTask } from "../../../test/fixtures/task-holder.ts";
import { openTaskSession } from "../../../test/fixtures/task-session.ts";
import { turn } from "../../../test/fixtures/turn.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";

const done = { content: [{ type: "text", text: "done" }] };
const working = extensionTask("working");
const completed = extensionTask("completed", { result: done });

describe("tasks that are listened to", () => {
  const changed = (status: string, more: JsonObject = {}): JsonObject =>
    extensionTask(status, { lastUpdatedAt: new Date(5).toISOString(), ...more });

  it("are over as soon as the server says so, where the client asks for that [X-TASK-038] [X-TASK-039]", async () => {
    const { session, server, clock } = await openTaskSession({ tasks: { listen: true } }, working);
    const result = session.callTool("t");
    await turn();
    await turn();
    const [subscription] = server.subscriptions;
    assert.deepEqual(subscription?.filter, { taskIds: ["t1"] });
    server.tell(subscription?.id ?? 0, "notifications/tasks", changed("completed", { result: done }));
    await turn();
    assert.deepEqual(await result, done);
    assert.equal(server.paramsOf("tasks/get").length, 0);
    await turn();
    assert.equal(server.subscriptions.length, 1, "nothing is wanted any more");
    assert.equal(clock.pendingTimers, 0);
    await session.close();
  });

  it("come to their end without any of it where the server does not agree [TASK-040]", async () => {
    const { session, server, clock, codes } = await openTaskSession({ tasks: { listen: true } }, completed);
    server.honour = () => ({});
    const result = session.callTool("t");
    await turn();
    await clock.advance(500);
    await turn();
    assert.deepEqual(await result, done);
    assert.deepEqual(codes(), []);
    await session.close();
  });

  it("can be listened to by hand, each change with the whole task [X-TASK-038] [X-TASK-039]", async () => {
    const { session, server } = await openTaskSession({}, working);
    const changes: unknown[] = [];
    const listening = await session.listen(
      { taskIds: ["t1", "t2"] },
      { onChange: ({ params }) => changes.push(params?.result) },
    );
    assert.deepEqual(listening.honoured, { taskIds: ["t1", "t2"] });
    server.tell(server.subscriptions[0]?.id ?? 0, "notifications/tasks", changed("completed", { result: done }));
    await turn();
    assert.deepEqual(changes, [done]);
    await session.close();
  });
});
