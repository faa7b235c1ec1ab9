import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { InvalidMessage, JsonRpcResponse } from "../../jsonrpc/message.ts";
import { type ClientAnswer, Questions } from "./questions.ts";

/** Questions of one node, what was sent to the client, and what to other nodes. */
function create(node = "n1") {
  const sent: string[] = [];
  const forwarded: [ClientAnswer, string][] = [];
  const questions = new Questions(node, async (answer, to) => {
    forwarded.push([answer, to]);
  });
  const ask = (method: string) => questions.ask({ method }, {}, (text) => sent.push(text));
  const ids = (): string[] => sent.map((text) => (JSON.parse(text) as { id: string }).id);
  return { questions, sent, forwarded, ask, ids };
}

const answer = (id: string, result = {}): JsonRpcResponse => ({ jsonrpc: "2.0", id, result });
const invalid = (id: string): InvalidMessage => ({
  kind: "invalid",
  meant: "response",
  id,
  error: { code: -32600, message: "no result" },
});

describe("Questions", () => {
  it("names questions within the session and pairs answers with them, in any order, and never uses a name again [BASE-005]", async () => {
    const { questions, ask, ids } = create();
    const answers = ["a", "b"].map(ask);
    const asked = ids();
    assert.equal(new Set(asked).size, 2);
    for (const id of [...asked].reverse()) {
      assert.equal(questions.settle(answer(id, { id })), "settled");
    }
    assert.deepEqual(
      await Promise.all(answers),
      asked.map((id) => ({ id })),
    );
    assert.equal(questions.size, 0);
    void ask("c").catch(() => undefined);
    assert.equal(asked.includes(ids().at(-1) ?? ""), false);
    questions.drain(undefined);
  });

  it("names the node that asks, whatever is in its name, and sends on answers that are for another", async () => {
    const here = create("a-1");
    void here.ask("a").catch(() => undefined);
    const there = create("a");
    const asked = there.ask("a");
    const [id = ""] = there.ids();
    assert.equal(await here.questions.settle(answer(id)), "elsewhere");
    assert.deepEqual(here.forwarded, [[answer(id), "a"]]);
    assert.equal(there.questions.settle(answer(id)), "settled");
    await asked;
    await here.questions.fail(invalid(id));
    assert.deepEqual(here.forwarded.at(-1), [invalid(id), "a"]);
    assert.equal(here.questions.size, 1);
    here.questions.drain(undefined);
  });

  it("tells late answers from foreign ones", async () => {
    const { questions, ask, ids, forwarded } = create();
    const signal = AbortSignal.abort(new Error("no"));
    await assert.rejects(
      questions.ask({ method: "a" }, { signal }, () => assert.fail("sent")),
      /no/,
    );
    const answered = ask("a");
    const [id = ""] = ids();
    await questions.settle(answer(id));
    await answered;
    assert.equal(questions.settle(answer(id)), "late");
    for (const foreign of ["n1-1", "n1", "n1-", "n1-00", "n1-x", "-0", "", "é-0"]) {
      assert.equal(questions.settle(answer(foreign)), "unknown", foreign);
    }
    assert.equal(questions.settle({ jsonrpc: "2.0", id: 0, result: {} }), "unknown");
    assert.equal(questions.settle({ jsonrpc: "2.0", error: { code: 1, message: "" } }), "unknown");
    assert.deepEqual(forwarded, []);
  });

  it("fails the question that an unusable answer was meant for, and no other", async () => {
    const { questions, ask, ids } = create();
    const [one, other] = [ask("a"), ask("b")];
    const [id = ""] = ids();
    await questions.fail({ ...invalid(id), meant: "request" });
    assert.equal(questions.size, 2);
    await questions.fail(invalid(id));
    await assert.rejects(one, /PeerError: invalid answer: no result/);
    assert.equal(questions.size, 1);
    questions.drain(undefined);
    await assert.rejects(other, /the session ended/);
  });

  it("fails what waits when the session ends", async () => {
    const { questions, ask } = create();
    const waiting = ask("a");
    questions.drain(new Error("over"));
    await assert.rejects(waiting, /ClosedError|the session ended/);
    assert.equal(questions.size, 0);
  });
});
