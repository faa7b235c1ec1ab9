import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fakeExchange } from "../../../test/fixtures/exchange.ts";
import { RawClient } from "../../../test/fixtures/raw-client.ts";
import { identity, send } from "../../../test/fixtures/server-calls.ts";
import { turn } from "../../../test/fixtures/turn.ts";
import { UsageError } from "../../base/error.ts";
import { loggingLevels } from "../../protocol/checks/logging.ts";
import { checkParams } from "../../protocol/params.ts";
import type { LoggingLevel } from "../../protocol/types/logging.ts";
import { createFakeClock } from "../../test/clock.ts";
import { defineServer } from "../define.ts";
import { tool } from "../features/tool.ts";
import type { Server } from "../server.ts";
import type { LoggingOptions } from "./log.ts";
import { redactSecrets } from "./redact.ts";

function noisy(data: unknown[], logging?: LoggingOptions | boolean, clock = createFakeClock(1_000_000)): Server {
  return defineServer({
    ...identity,
    ...(logging === undefined ? {} : { logging }),
    clock,
    tools: {
      all: tool({}, (_args, { log }) => {
        for (const level of loggingLevels) {
          for (const item of data) {
            log[level](item);
          }
        }
        return "";
      }),
      one: tool({}, (_args, { log }) => {
        for (const item of data) {
          log.warning(item, "disk");
        }
        return "";
      }),
    },
  }) as Server;
}

async function logsOf(client: RawClient, name: string): Promise<{ level: string; data: unknown; logger?: string }[]> {
  client.received.length = 0;
  await client.call(name);
  const sent = client.notifications("notifications/message").map(({ params }) => params);
  for (const params of sent) {
    assert.equal(checkParams("notifications/message", params), undefined);
  }
  return sent as never;
}

describe("ctx.log", () => {
  it("sends level, data of any kind, and the logger where one is named [LOG-002]", async () => {
    const data = ["text", { deep: [1] }, null];
    const client = await RawClient.connect(noisy(data));
    assert.deepEqual(
      await logsOf(client, "one"),
      data.map((item) => ({ level: "warning", logger: "disk", data: item })),
    );
  });

  it("knows all eight levels in order and sends from info on before a level is set [LOG-003] [LOG-006]", async () => {
    const client = await RawClient.connect(noisy(["x"]));
    assert.deepEqual(
      (await logsOf(client, "all")).map(({ level }) => level),
      loggingLevels.slice(1),
    );
    const quiet = await RawClient.connect(noisy(["x"], { level: "alert", logger: "app" }));
    assert.deepEqual(await logsOf(quiet, "all"), [
      { level: "alert", logger: "app", data: "x" },
      { level: "emergency", logger: "app", data: "x" },
    ]);
    assert.throws(() => noisy([], { level: "warn" as LoggingLevel }), UsageError);
  });

  it("follows the level each session set, and no other's [LOG-004] [LOG-005]", async () => {
    const app = noisy(["x"]);
    const client = await RawClient.connect(app);
    const other = await RawClient.connect(app);
    assert.deepEqual((await client.request("logging/setLevel", { level: "error" })).result, {});
    assert.deepEqual(
      (await logsOf(client, "all")).map(({ level }) => level),
      loggingLevels.slice(4),
    );
    assert.equal((await logsOf(other, "all")).length, 7);
    await client.request("logging/setLevel", { level: "debug" });
    assert.equal((await logsOf(client, "all")).length, 8);
  });

  it("refuses a level that there is not [LOG-003] [LOG-007]", async () => {
    const client = await RawClient.connect(noisy(["x"]));
    for (const level of ["verbose", "warn", "", 3]) {
      assert.equal((await client.request("logging/setLevel", { level })).error?.code, -32602);
    }
    assert.equal((await logsOf(client, "all")).length, 7);
  });

  it("sends nothing at all where logging is off [LOG-001]", async () => {
    const client = await RawClient.connect(noisy(["x"], false));
    assert.deepEqual(await logsOf(client, "all"), []);
    assert.equal((await client.request("logging/setLevel", { level: "debug" })).error?.code, -32601);
  });

  it("masks what stands under the name of a secret, and lets the author decide [LOG-008]", async () => {
    const client = await RawClient.connect(noisy([{ user: "ada", password: "x", nested: { apiKey: "y" } }]));
    assert.deepEqual((await logsOf(client, "one"))[0]?.data, {
      user: "ada",
      password: "[redacted]",
      nested: { apiKey: "[redacted]" },
    });
    const own = await RawClient.connect(
      noisy(["keep", "drop"], {
        redact: (entry) => (entry.data === "drop" ? undefined : { ...entry, data: "changed" }),
      }),
    );
    assert.deepEqual(
      (await logsOf(own, "one")).map(({ data }) => data),
      ["changed"],
    );
  });

  it("throttles a flood and says how much was withheld [LOG-009]", async () => {
    const clock = createFakeClock(1_000_000);
    const client = await RawClient.connect(
      noisy(
        Array.from({ length: 1_000 }, (_, i) => i),
        { maxPerSecond: 10 },
        clock,
      ),
    );
    const flood = await logsOf(client, "one");
    assert.deepEqual(
      flood.map(({ data }) => data),
      [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
    );
    await clock.advance(200);
    const after = await logsOf(client, "one");
    assert.match(String(after[0]?.data), /990 log messages were withheld/);
    assert.equal(after.length, 3);
  });

  it("belongs to the request also without a session", async () => {
    const exchange = fakeExchange();
    await send(noisy(["x"]), "tools/call", { name: "one" }, exchange);
    assert.deepEqual(exchange.notified, [
      { method: "notifications/message", params: { level: "warning", logger: "disk", data: "x" } },
    ]);
  });
});

describe("app.log", () => {
  it("reaches every session, each by its own level [LOG-005]", async () => {
    const app = noisy([]);
    const [first, second] = [await RawClient.connect(app), await RawClient.connect(app)];
    await second.request("logging/setLevel", { level: "error" });
    app.log.warning({ disk: "full" });
    await turn();
    assert.equal(first.notifications("notifications/message").length, 1);
    assert.equal(second.notifications("notifications/message").length, 0);
  });
});

describe("redactSecrets", () => {
  it("makes anything plain: errors, cycles, dates, big numbers, tokens in sentences [LOG-008]", () => {
    const cyclic: { self?: unknown } = {};
    cyclic.self = cyclic;
    assert.deepEqual(redactSecrets(cyclic), { self: "[circular]" });
    assert.deepEqual(redactSecrets(new TypeError("no")), { name: "TypeError", message: "no" });
    assert.deepEqual(redactSecrets([new Date(0), 5n, undefined, () => 0]), [
      "1970-01-01T00:00:00.000Z",
      "5",
      null,
      "[function]",
    ]);
    assert.equal(redactSecrets("sent Bearer abcdefghijkl to x"), "sent Bearer [redacted] to x");
    let deep: unknown = 1;
    for (let index = 0; index < 20; index += 1) {
      deep = { deep };
    }
    assert.match(JSON.stringify(redactSecrets(deep)), /too deep/);
  });
});
