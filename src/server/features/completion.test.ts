import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { caller, FakeSession, fakeExchange, plainHttp } from "../../../test/fixtures/exchange.ts";
import { RawClient } from "../../../test/fixtures/raw-client.ts";
import { errorOf, identity, resultOf, send } from "../../../test/fixtures/server-calls.ts";
import { turn } from "../../../test/fixtures/turn.ts";
import { checkResult } from "../../protocol/results.ts";
import { createFakeClock } from "../../test/clock.ts";
import { defineServer } from "../define.ts";
import type { ServerOptions } from "../options.ts";
import type { Server } from "../server.ts";
import type { Completer } from "./completer.ts";
import { prompt } from "./prompt.ts";
import { template } from "./resource.ts";

function withCompleter(complete: Completer<unknown>, more: Partial<ServerOptions> = {}): Server {
  const prompts = { p: prompt({ arguments: { a: {}, b: {} }, complete: { a: complete } }, () => "") };
  return defineServer({ ...identity, ...more, prompts } as never);
}

const ref = { type: "ref/prompt", name: "p" };

async function complete(app: Server, value = "", more: object = {}, exchange = fakeExchange()): Promise<unknown> {
  const params = { ref, argument: { name: "a", value }, ...more };
  const result = resultOf(await send(app, "completion/complete", params, exchange));
  assert.equal(checkResult("completion/complete", result), undefined);
  return result.completion;
}

describe("completion/complete", () => {
  it("sends at most a hundred values in the completer's order and says that there are more [COMP-004] [COMP-005] [COMP-006]", async () => {
    const values = Array.from({ length: 150 }, (_, index) => `v${150 - index}`);
    const app = withCompleter(() => values);
    assert.deepEqual(await complete(app), { values: values.slice(0, 100), total: 150, hasMore: true });
    const counted = withCompleter(async () => ({ values: ["a"], total: 7 }));
    assert.deepEqual(await complete(counted), { values: ["a"], total: 7, hasMore: true });
    assert.deepEqual(await complete(withCompleter(() => ["a"])), { values: ["a"], total: 1, hasMore: false });
  });

  it("searches a plain list: what begins with the text first, whatever the case", async () => {
    const app = withCompleter(["Oslo", "Paris", "Sparta", "parma"]);
    assert.deepEqual(await complete(app, "par"), { values: ["Paris", "parma", "Sparta"], total: 3, hasMore: false });
  });

  it("hands over the typed text, the values already chosen and the caller [COMP-003] [PP-083]", async () => {
    const app = withCompleter((typed, { arguments: chosen, ctx }) => [typed, chosen.b ?? "", ctx.auth?.subject ?? ""]);
    const exchange = fakeExchange({ auth: caller("ada"), http: plainHttp });
    const completion = await complete(app, "x", { context: { arguments: { b: "chosen" } } }, exchange);
    assert.deepEqual((completion as { values: string[] }).values, ["x", "chosen", "ada"]);
  });

  it("completes variables of templates, named by template or by URI [COMP-002] [PP-083]", async () => {
    const app = defineServer({
      ...identity,
      templates: {
        note: template(
          {
            uriTemplate: "note://{folder}/{id}",
            complete: { id: (typed, { arguments: { folder } }) => [`${folder}/${typed}`] },
          },
          () => "",
        ),
      },
    });
    for (const uri of ["note://{folder}/{id}", "note://a/b"]) {
      const params = {
        ref: { type: "ref/resource", uri },
        argument: { name: "id", value: "1" },
        context: { arguments: { folder: "in" } },
      };
      const { completion } = resultOf(await send(app, "completion/complete", params));
      assert.deepEqual((completion as { values: string[] }).values, ["in/1"]);
    }
  });

  it("refuses unknown references and arguments, and bad params [COMP-002] [COMP-007] [COMP-008]", async () => {
    const app = withCompleter(["x"]);
    const bad = [
      { ref: { type: "ref/prompt", name: "q" }, argument: { name: "a", value: "" } },
      { ref: { type: "ref/resource", uri: "note://{x}" }, argument: { name: "a", value: "" } },
      { ref: { type: "ref/tool", name: "p" }, argument: { name: "a", value: "" } },
      { ref, argument: { name: "zzz", value: "" } },
      { ref, argument: { name: "a", value: 5 } },
      { ref },
    ];
    for (const params of bad) {
      assert.equal(errorOf(await send(app, "completion/complete", params)).code, -32602, JSON.stringify(params));
    }
    const none = resultOf(await send(app, "completion/complete", { ref, argument: { name: "b", value: "" } }));
    assert.deepEqual(none.completion, { values: [], total: 0, hasMore: false });
    const broken = withCompleter(() => {
      throw new Error("secret path");
    });
    const { code, message } = errorOf(
      await send(broken, "completion/complete", { ref, argument: { name: "a", value: "" } }),
    );
    assert.deepEqual([code, message], [-32603, "internal error"]);
  });

  it("suggests nothing of what the caller may not have [COMP-009]", async () => {
    const app = defineServer({
      ...identity,
      prompts: {
        p: prompt(
          { arguments: { a: {} }, complete: { a: ["secret"] }, allow: ({ auth }) => auth?.subject === "ada" },
          () => "",
        ),
      },
    });
    const bob = fakeExchange({ auth: caller("bob"), http: plainHttp });
    const refused = errorOf(await send(app, "completion/complete", { ref, argument: { name: "a", value: "" } }, bob));
    assert.equal(refused.code, -32602);
    const ada = fakeExchange({ auth: caller("ada"), http: plainHttp });
    assert.deepEqual(await complete(app, "", {}, ada), { values: ["secret"], total: 1, hasMore: false });
  });

  it("limits how often a caller may ask, each on its own [COMP-008]", async () => {
    const app = withCompleter(["x"], { clock: createFakeClock(1_000_000) });
    const first = fakeExchange({ session: new FakeSession("first", {}) });
    for (let index = 0; index < 100; index += 1) {
      await complete(app, "", {}, first);
    }
    const params = { ref, argument: { name: "a", value: "" } };
    assert.match(errorOf(await send(app, "completion/complete", params, first)).message, /too many/);
    await complete(app, "", {}, fakeExchange({ session: new FakeSession("second", {}) }));
    const closed = withCompleter(["x"], { limits: { completions: () => ({ ok: false }) } });
    assert.match(errorOf(await send(closed, "completion/complete", params)).message, /too many/);
  });

  it("can be cancelled [PP-083]", async () => {
    let aborted = false;
    const app = withCompleter((_typed, { ctx }) => {
      ctx.signal.addEventListener("abort", () => {
        aborted = true;
      });
      return new Promise(() => {});
    });
    const client = await RawClient.connect(app);
    void client.request("completion/complete", { ref, argument: { name: "a", value: "" } }, "c");
    await turn();
    client.notify("notifications/cancelled", { requestId: "c" });
    await turn();
    assert.equal(aborted, true);
  });
});
