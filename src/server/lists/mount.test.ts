import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { RawClient } from "../../../test/fixtures/raw-client.ts";
import { call, errorOf, identity, resultOf, send } from "../../../test/fixtures/server-calls.ts";
import { turn } from "../../../test/fixtures/turn.ts";
import { UsageError } from "../../base/error.ts";
import { defineServer } from "../define.ts";
import { prompt } from "../features/prompt.ts";
import { resource, template } from "../features/resource.ts";
import { tool } from "../features/tool.ts";

function weather(): ReturnType<typeof defineServer> {
  return defineServer({
    ...identity,
    tools: {
      now: tool(
        { input: { type: "object", properties: { city: { type: "string" } } } },
        ({ city }) => `sun in ${city}`,
      ),
      later: tool({}, () => "rain"),
    },
    prompts: { plan: prompt({ arguments: { day: {} }, complete: { day: ["monday"] } }, () => "a plan") },
    resources: { map: resource({ uri: "weather://map" }, () => "map") },
    templates: { city: template({ uriTemplate: "weather://{city}/now" }, ({ city }) => city) },
  }) as never;
}

const namesOf = (list: unknown): string[] => (list as { name: string }[]).map(({ name }) => name);

describe("mount", () => {
  it("lists and serves another server's features under a prefix, after its own", async () => {
    const hub = defineServer({ ...identity, pageSize: 2, tools: { own: tool({}, () => "own") } });
    hub.mount("weather", weather());
    const first = resultOf(await send(hub, "tools/list"));
    const second = resultOf(await send(hub, "tools/list", { cursor: first.nextCursor }));
    assert.deepEqual(namesOf(first.tools), ["own", "weather.now"]);
    assert.deepEqual(namesOf(second.tools), ["weather.later"]);
    assert.equal(second.nextCursor, undefined);
    assert.equal(resultOf(await call(hub, "weather.now", { city: "Oslo" })).content[0]?.text, "sun in Oslo");
    assert.match(errorOf(await call(hub, "weather.nov")).message, /Did you mean "weather\.now"\?/);
    assert.equal(errorOf(await call(hub, "now")).code, -32602);
    assert.deepEqual(namesOf(resultOf(await send(hub, "prompts/list")).prompts), ["weather.plan"]);
    assert.ok(resultOf(await send(hub, "prompts/get", { name: "weather.plan" })).messages);
    assert.ok(resultOf(await send(hub, "resources/read", { uri: "weather://map" })));
    assert.ok(resultOf(await send(hub, "resources/read", { uri: "weather://oslo/now" })));
    assert.deepEqual(namesOf(resultOf(await send(hub, "resources/templates/list")).resourceTemplates), ["city"]);
    const ref = { type: "ref/prompt", name: "weather.plan" };
    const { completion } = resultOf(
      await send(hub, "completion/complete", { ref, argument: { name: "day", value: "m" } }),
    );
    assert.deepEqual((completion as { values: string[] }).values, ["monday"]);
  });

  it("announces what was mounted and follows its changes", async () => {
    const hub = defineServer(identity);
    const inner = weather();
    const unmount = hub.mount("w", inner);
    const client = await RawClient.connect(hub);
    inner.tools.delete("later");
    await turn();
    assert.equal(client.notifications("notifications/tools/list_changed").length, 1);
    assert.deepEqual(namesOf((await client.request("tools/list")).result?.tools), ["w.now"]);
    unmount();
    assert.deepEqual((await client.request("tools/list")).result?.tools, []);
  });

  it("refuses a prefix that could not begin a name", () => {
    assert.throws(() => defineServer(identity).mount("a b", weather()), UsageError);
    assert.throws(() => defineServer(identity).mount("x/", weather()), UsageError);
  });
});
