import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeServer, ForgetfulLink } from "../../../test/fixtures/fake-server.ts";
import { ask, form } from "../../../test/fixtures/question-rounds.ts";
import { coreTask, extensionTask, inTurn } from "../../../test/fixtures/task-holder.ts";
import { coreCapabilities, coreTools, openTaskSession } from "../../../test/fixtures/task-session.ts";
import { turn } from "../../../test/fixtures/turn.ts";
import { createFakeClock, type FakeClock } from "../../test/clock.ts";
import { defineClient } from "../client.ts";

const done = { content: [{ type: "text", text: "done" }] };

/** A server of the core form, whose task goes through these states. */
function createServer(...states: unknown[]): FakeServer {
  return new FakeServer({
    capabilities: coreCapabilities,
    answers: {
      "tools/list": () => ({ tools: coreTools }),
      "tools/call": () => ({ task: coreTask("working") }),
      "tasks/get": inTurn(...states),
      "tasks/result": () => done,
    },
  });
}

async function pass(clock: FakeClock, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 500) {
    await turn();
    await clock.advance(500);
  }
  await turn();
}

describe("a call that is a task", () => {
  it("survives the session that it was made in: it is looked at in the next one by its id [X-TASK-023] [PP-001]", async () => {
    const clock = createFakeClock();
    const server = createServer(coreTask("working"), coreTask("completed"));
    const link = new ForgetfulLink(server);
    const session = await defineClient({ name: "c", version: "1", clock }).connect(link);
    const result = session.callTool("required");
    await pass(clock, 500);
    link.forget();
    await pass(clock, 1_000);
    assert.deepEqual(await result, done);
    assert.equal(server.paramsOf("initialize").length, 2);
    assert.equal(server.paramsOf("tools/call").length, 1, "the call itself is never made again");
    await session.close();
  });

  it("survives the end of its connection, where another one can be opened [X-TASK-023]", async () => {
    const clock = createFakeClock();
    const servers = [createServer(coreTask("working")), createServer(coreTask("completed"))];
    const used = [...servers];
    const connect = () => used.shift()?.channel ?? assert.fail("expected two connections");
    const session = await defineClient({ name: "c", version: "1", clock }).connect(connect, {
      restart: true,
      revision: "2025-11-25",
    });
    const result = session.callTool("required");
    await pass(clock, 500);
    await servers[0]?.close();
    await pass(clock, 5_000);
    assert.deepEqual(await result, done);
    assert.deepEqual(servers[1]?.paramsOf("tools/call"), []);
    await session.close();
  });

  it("may be asked things before it becomes one [X-TASK-016]", async () => {
    const elicitation = { form: () => ({ action: "decline" as const }) };
    const completed = extensionTask("completed", { result: done });
    const { session, server, clock } = await openTaskSession({ elicitation }, completed);
    const replies = [ask({ who: form }, "s1"), extensionTask("working", { resultType: "task" })];
    server.answers.set("tools/call", () => replies.shift());
    const result = session.callTool("t");
    await pass(clock, 500);
    assert.deepEqual(await result, done);
    assert.deepEqual(server.methods.slice(1), ["tools/call", "tools/call", "tasks/get"]);
    await session.close();
  });
});
