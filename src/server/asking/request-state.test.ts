import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { z } from "zod";
import { identity } from "../../../test/fixtures/server-calls.ts";
import { ableClient, askedIn, sendAlone } from "../../../test/fixtures/stateless.ts";
import type { Diagnostic } from "../../base/diagnostic.ts";
import { UsageError } from "../../base/error.ts";
import { createFakeClock } from "../../test/clock.ts";
import { defineServer } from "../define.ts";
import { tool } from "../features/tool.ts";
import { RequestStates, type StateBinding } from "./request-state.ts";
import { type RequestStateOptions, resolveRequestState } from "./request-state-options.ts";

const binding: StateBinding = {
  principal: "",
  method: "tools/call",
  subject: { name: "t", arguments: { a: 1, b: 2 } },
};
const key = new Uint8Array(32).fill(7);

function states(
  options: RequestStateOptions = {},
  {
    server = "demo",
    now = () => 0,
    onDiagnostic = () => {},
  }: Partial<ConstructorParameters<typeof RequestStates>[1]> = {},
): RequestStates {
  return new RequestStates(resolveRequestState(options, now), { server, now, onDiagnostic });
}

describe("RequestStates", () => {
  it("gives back what it sealed, for the same request whatever the order of its members", async () => {
    const sealed = await states({ keys: [key] }).seal({ a: [1, null] }, binding);
    const subject = { arguments: { b: 2, a: 1 }, name: "t" };
    assert.deepEqual(await states({ keys: [key] }).open(sealed, { ...binding, subject }), { a: [1, null] });
  });

  it("shows nothing of what is inside [M-MRTR-015] [PP-113]", async () => {
    const sealed = await states().seal({ secret: "hunter2 hunter2" }, binding);
    for (const part of [
      sealed,
      ...sealed.split(".").map((text) => atob(text.replaceAll("-", "+").replaceAll("_", "/"))),
    ]) {
      assert.doesNotMatch(part, /hunter2|secret|demo/);
    }
  });

  it("refuses every change and every foreign text [M-MRTR-008] [M-MRTR-009] [PP-113]", async () => {
    const own = states();
    const sealed = await own.seal({ a: 1 }, binding);
    const parts = sealed.split(".");
    const other = (await own.seal({ a: 2 }, binding)).split(".");
    const texts = ["", "x", "a.b.c.d.e", `${sealed}-TAMPERED`, sealed.slice(1), "x".repeat(70_000), "ä"];
    for (let index = 0; index < sealed.length; index += 7) {
      texts.push(sealed.slice(0, index) + (sealed[index] === "A" ? "B" : "A") + sealed.slice(index + 1));
    }
    for (const index of [0, 2, 3, 4].filter((at) => parts[at] !== other[at])) {
      texts.push(parts.map((part, at) => (at === index ? other[at] : part)).join("."));
    }
    for (const text of texts.filter((changed) => changed !== sealed)) {
      await assert.rejects(own.open(text, binding), {
        rpcCode: -32602,
        message: /params\.requestState: it does not open/,
      });
    }
    assert.deepEqual(await own.open(sealed, binding), { a: 1 });
  });

  it("refuses what is bound to something else, and names the check [M-MRTR-010] [M-MRTR-012] [PP-113]", async () => {
    const own = states({ keys: [key] });
    const sealed = await own.seal({}, { ...binding, principal: "ada" });
    const refusals: [Partial<StateBinding>, RegExp][] = [
      [{ principal: "eve" }, /another caller/],
      [{ principal: "" }, /another caller/],
      [{ principal: "ada", method: "prompts/get" }, /another request/],
      [{ principal: "ada", subject: { name: "other", arguments: { a: 1, b: 2 } } }, /another request/],
      [{ principal: "ada", subject: { name: "t", arguments: { a: 1, b: 3 } } }, /another request/],
    ];
    for (const [changed, message] of refusals) {
      await assert.rejects(own.open(sealed, { ...binding, ...changed }), { rpcCode: -32602, message });
    }
    const elsewhere = states({ keys: [key] }, { server: "other" });
    await assert.rejects(elsewhere.open(sealed, { ...binding, principal: "ada" }), /sealed by the server "demo"/);
  });

  it("refuses what is too old [M-MRTR-011] [PP-113]", async () => {
    const clock = createFakeClock();
    const own = states({ ttlMs: 1_000 }, { now: clock.now });
    const [early, late] = [await own.seal({}, binding), await own.seal({}, binding)];
    await clock.advance(999);
    await own.open(early, binding);
    await clock.advance(1);
    await assert.rejects(own.open(late, binding), /expired; it is good for 1000 ms/);
  });

  it("forgets no use while it counts, however many there are, and takes new ones once time has made room [M-MRTR-013]", async () => {
    let now = 0;
    const { claim } = resolveRequestState({}, () => now);
    assert.equal(await claim("victim", 1_000), true);
    for (let index = 1; index < 100_000; index += 1) {
      await claim(String(index), 1_000);
    }
    assert.throws(() => claim("one more", 1_000), { code: "MCP_RPC", message: /try again later/ });
    assert.equal(await claim("victim", 1_000), false);
    now = 1_000;
    assert.equal(await claim("one more", 1_000), true);
  });

  it("opens each state once, in one process or by a shared claim [M-MRTR-013] [PP-113]", async () => {
    const own = states();
    const sealed = await own.seal({}, binding);
    await own.open(sealed, binding);
    await assert.rejects(own.open(sealed, binding), { rpcCode: -32602, message: /used before/ });
    const claimed = new Map<string, number>();
    const claim = async (id: string, ttlMs: number): Promise<boolean> => {
      const isFirst = !claimed.has(id);
      claimed.set(id, ttlMs);
      return isFirst;
    };
    const [a, b] = [states({ keys: [key], claim, ttlMs: 50 }), states({ keys: [key], claim, ttlMs: 50 })];
    const shared = await a.seal({}, binding);
    await b.open(shared, binding);
    await assert.rejects(a.open(shared, binding), /used before/);
    assert.deepEqual([...claimed.values()], [50]);
  });

  it("opens what an older key sealed, and seals with the newest [M-MRTR-015] [PP-113]", async () => {
    const passphrase = "correct horse battery staple";
    const text = "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc";
    const old = await states({ keys: [text] }).seal({ a: 1 }, binding);
    const rotated = states({ keys: [passphrase, key] });
    assert.deepEqual(await rotated.open(old, binding), { a: 1 }, "the same key as bytes and as base64url");
    const fresh = await rotated.seal({ b: 2 }, binding);
    await assert.rejects(states({ keys: [key] }).open(fresh, binding), /does not open/);
    assert.deepEqual(await states({ keys: [passphrase] }).open(fresh, binding), { b: 2 });
  });

  it("is a mistake at start for several processes without a key [PP-113]", () => {
    for (const requestState of [{ processes: "many" as const }, { claim: () => true }]) {
      assert.throws(() => defineServer({ ...identity, requestState }), UsageError);
      defineServer({ ...identity, requestState: { ...requestState, keys: [key] } });
    }
  });

  it("refuses keys and bounds that are none, at start [PP-113]", () => {
    for (const options of [
      { keys: [new Uint8Array(16)] },
      { keys: ["short"] },
      { ttlMs: 0 },
      { maxRounds: 1.5 },
      { maxLength: Number.NaN },
    ]) {
      assert.throws(() => resolveRequestState(options, () => 0), UsageError, JSON.stringify(options));
    }
  });

  it("tells once that its key is known to this process alone [PP-113]", async () => {
    const diagnostics: Diagnostic[] = [];
    const onDiagnostic = (diagnostic: Diagnostic): unknown => diagnostics.push(diagnostic);
    const random = states({}, { onDiagnostic });
    await random.seal({}, binding);
    await random.seal({}, binding);
    await states({ keys: [key] }, { onDiagnostic }).seal({}, binding);
    assert.deepEqual(
      diagnostics.map(({ code }) => code),
      ["MCP_D_STATE_KEY"],
    );
  });

  it("bounds what travels, and tells the author [PP-112]", async () => {
    const faults: unknown[] = [];
    const app = defineServer({
      ...identity,
      onError: (error) => faults.push(error),
      tools: {
        t: tool({}, async (_args, ctx) => {
          await ctx.once("big", () => "x".repeat(60_000));
          return (await ctx.elicit("Who?", z.object({}))).action;
        }),
      },
    });
    const response = await sendAlone(app, "tools/call", { name: "t" }, { capabilities: ableClient });
    assert.equal("error" in response && response.error.message, "internal error");
    assert.match(String(faults[0]), /requestState\.maxLength \(65536\)/);
  });

  it("is refused with an error and never asked for again [M-MRTR-009] [PP-113]", async () => {
    const app = defineServer({
      ...identity,
      tools: { t: tool({}, async (_args, ctx) => (await ctx.elicit("Who?", z.object({}))).action) },
    });
    const options = { capabilities: ableClient };
    const { requestState } = askedIn(await sendAlone(app, "tools/call", { name: "t" }, options));
    for (const state of [`${requestState}-TAMPERED`, "", "x"]) {
      const response = await sendAlone(app, "tools/call", { name: "t", requestState: state }, options);
      assert.equal("error" in response && response.error.code, -32602, state);
    }
  });
});
