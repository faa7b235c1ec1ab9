import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Questions } from "./questions.ts";

describe("Questions", () => {
  it("numbers questions within the session and pairs answers with them, in any order, and never uses a number again [BASE-005]", async () => {
    const questions = new Questions();
    const sent: string[] = [];
    const answers = ["a", "b"].map((method) => questions.ask({ method }, {}, (text) => sent.push(text)));
    const ids = sent.map((text) => (JSON.parse(text) as { id: number }).id);
    assert.equal(new Set(ids).size, 2);
    for (const id of [...ids].reverse()) {
      assert.equal(questions.settle({ jsonrpc: "2.0", id, result: { id } }), "settled");
    }
    assert.deepEqual(
      await Promise.all(answers),
      ids.map((id) => ({ id })),
    );
    assert.equal(questions.size, 0);
    void questions.ask({ method: "c" }, {}, (text) => sent.push(text)).catch(() => undefined);
    assert.equal(ids.includes((JSON.parse(sent.at(-1) ?? "{}") as { id: number }).id), false);
    questions.drain(undefined);
  });

  it("tells late answers from foreign ones", async () => {
    const questions = new Questions();
    const gone = questions.ask({ method: "a" }, { signal: AbortSignal.abort(new Error("no")) }, () =>
      assert.fail("sent"),
    );
    await assert.rejects(gone, /no/);
    const answered = questions.ask({ method: "a" }, {}, () => undefined);
    questions.settle({ jsonrpc: "2.0", id: 0, result: {} });
    await answered;
    assert.equal(questions.settle({ jsonrpc: "2.0", id: 0, result: {} }), "late");
    assert.equal(questions.settle({ jsonrpc: "2.0", id: 1, result: {} }), "unknown");
    assert.equal(questions.settle({ jsonrpc: "2.0", error: { code: 1, message: "" } }), "unknown");
  });

  it("fails what waits when the session ends", async () => {
    const questions = new Questions();
    const waiting = questions.ask({ method: "a" }, {}, () => undefined);
    questions.drain(new Error("over"));
    await assert.rejects(waiting, /ClosedError|the session ended/);
    assert.equal(questions.size, 0);
  });
});
