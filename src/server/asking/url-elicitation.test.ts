import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { RawClient } from "../../../test/fixtures/raw-client.ts";
import { identity } from "../../../test/fixtures/server-calls.ts";
import { turn } from "../../../test/fixtures/turn.ts";
import type { Diagnostic } from "../../base/diagnostic.ts";
import { UrlElicitationRequiredError } from "../../protocol/errors.ts";
import { checkParams } from "../../protocol/params.ts";
import { defineServer } from "../define.ts";
import { prompt } from "../features/prompt.ts";
import { tool } from "../features/tool.ts";
import type { UrlOutcome, UrlRequest } from "../requests/context.ts";
import type { Server } from "../server.ts";

const url = { elicitation: { url: {} } };
const completed = "notifications/elicitation/complete";

interface Opener {
  readonly app: Server;
  readonly outcomes: UrlOutcome[];
  readonly diagnostics: Diagnostic[];
}

function opener(request: UrlRequest = { message: "Sign in", url: "https://example.com/x" }): Opener {
  const outcomes: UrlOutcome[] = [];
  const diagnostics: Diagnostic[] = [];
  const app = defineServer({
    ...identity,
    onDiagnostic: (diagnostic) => diagnostics.push(diagnostic),
    tools: {
      open: tool({}, async (_args, ctx) => {
        const outcome = await ctx.elicitUrl(request);
        outcomes.push(outcome);
        return outcome.action;
      }),
    },
  });
  return { app, outcomes, diagnostics };
}

const accept = { capabilities: url, answers: { "elicitation/create": () => ({ action: "accept" }) } };

describe("ctx.elicitUrl", () => {
  it("asks with message, URL and an id that does not repeat [ELIC-017] [ELIC-018] [ELIC-004]", async () => {
    const { app } = opener();
    const client = await RawClient.connect(app, accept);
    await client.call("open");
    await client.call("open");
    const asked = client.requests("elicitation/create").map(({ params }) => params as { elicitationId: string });
    for (const params of asked) {
      assert.equal(checkParams("elicitation/create", params), undefined);
    }
    assert.deepEqual(
      { ...asked[0], elicitationId: "", _meta: undefined },
      {
        mode: "url",
        message: "Sign in",
        url: "https://example.com/x",
        elicitationId: "",
        _meta: undefined,
      },
    );
    assert.notEqual(asked[0]?.elicitationId, asked[1]?.elicitationId);
  });

  it("refuses what may not be opened, with nothing sent, and warns of http [ELIC-017] [ELIC-036] [ELIC-037]", async () => {
    const bad = ["not a url", "javascript:alert(1)", "file:///etc", "https://user:secret@example.com"];
    for (const bare of bad) {
      const { app } = opener({ message: "m", url: bare });
      const client = await RawClient.connect(app, accept);
      assert.equal((await client.call("open")).result?.isError, true, bare);
      assert.deepEqual(client.requests(), []);
    }
    const warned = async (address: string): Promise<boolean> => {
      const { app, diagnostics } = opener({ message: "m", url: address });
      const client = await RawClient.connect(app, accept);
      assert.equal((await client.call("open")).result?.isError, undefined);
      return diagnostics.some(({ code }) => code === "MCP_D_ELICITATION_URL");
    };
    assert.equal(await warned("http://example.com"), true);
    assert.equal(await warned("http://localhost:3000"), false);
    assert.equal(await warned("https://example.com"), false);
  });

  it("asks no client that did not declare URL mode [ELIC-002]", async () => {
    for (const capabilities of [{}, { elicitation: {} }, { elicitation: { form: {} } }]) {
      const { app } = opener();
      const client = await RawClient.connect(app, { ...accept, capabilities: capabilities as never });
      const { result } = await client.call("open");
      assert.match(JSON.stringify(result), /elicitation\.url/);
      assert.deepEqual(client.requests(), []);
    }
  });

  it("takes acceptance for consent only; completion is told apart [ELIC-023] [ELIC-024]", async () => {
    const { app, outcomes } = opener();
    const client = await RawClient.connect(app, accept);
    await client.call("open");
    assert.equal(outcomes[0]?.action, "accept");
    assert.deepEqual(client.notifications(completed), []);
    await outcomes[0]?.complete();
    await turn();
    assert.deepEqual(
      client.notifications(completed).map(({ params }) => params),
      [{ elicitationId: outcomes[0]?.elicitationId }],
    );
  });

  it("tells completion to the session that was asked and to no other, once [ELIC-025]", async () => {
    const { app, outcomes } = opener();
    const owner = await RawClient.connect(app, accept);
    const other = await RawClient.connect(app, accept);
    await owner.call("open");
    const id = outcomes[0]?.elicitationId ?? "";
    assert.equal(await app.completeElicitation(id), true);
    assert.equal(await app.completeElicitation(id), false);
    assert.equal(await app.completeElicitation("unknown"), false);
    await turn();
    assert.equal(owner.notifications(completed).length, 1);
    assert.equal(other.notifications(completed).length, 0);
  });

  it("has nothing to complete after a refusal or the end of the session", async () => {
    const { app, outcomes } = opener();
    const client = await RawClient.connect(app, {
      capabilities: url,
      answers: { "elicitation/create": () => ({ action: "decline" }) },
    });
    await client.call("open");
    assert.equal(await app.completeElicitation(outcomes[0]?.elicitationId ?? ""), false);
    const gone = await RawClient.connect(app, accept);
    await gone.call("open");
    await gone.close();
    await gone.handle.closed;
    assert.equal(await app.completeElicitation(outcomes[1]?.elicitationId ?? ""), false);
  });

  it("refuses an id that is another session's [ELIC-018]", async () => {
    const { app } = opener({ message: "m", url: "https://example.com", elicitationId: "mine" });
    await (await RawClient.connect(app, accept)).call("open");
    const other = await RawClient.connect(app, accept);
    const { result } = await other.call("open");
    assert.match(JSON.stringify(result), /belongs to another session/);
    assert.deepEqual(other.requests(), []);
  });
});

describe("UrlElicitationRequiredError", () => {
  const needed = { mode: "url" as const, message: "Sign in", url: "https://example.com", elicitationId: "e1" };

  function requiring(elicitations: unknown[], onError?: (error: unknown) => void): Server {
    const refuse = (): never => {
      throw new UrlElicitationRequiredError(elicitations as never, "sign in first");
    };
    return defineServer({
      ...identity,
      onError: (error) => onError?.(error),
      tools: { t: tool({}, refuse) },
      prompts: { p: prompt({}, refuse) },
    });
  }

  it("is a JSON-RPC error that lists the pages, not a failed result [ELIC-028] [ELIC-029]", async () => {
    const client = await RawClient.connect(requiring([needed]), { capabilities: url });
    for (const response of [await client.call("t"), await client.request("prompts/get", { name: "p" })]) {
      assert.deepEqual(response.error, {
        code: -32042,
        message: "sign in first",
        data: { elicitations: [needed] },
      });
    }
  });

  it("gives every page an id, and completion reaches the client [ELIC-025] [ELIC-029]", async () => {
    const { elicitationId: _, ...bare } = needed;
    const app = requiring([bare]);
    const client = await RawClient.connect(app, { capabilities: url });
    const { error } = await client.call("t");
    const { elicitations } = (error?.data ?? {}) as { elicitations?: { elicitationId: string }[] };
    const listed = elicitations?.[0];
    assert.equal(typeof listed?.elicitationId, "string");
    assert.equal(await app.completeElicitation(listed?.elicitationId ?? ""), true);
    await turn();
    assert.equal(client.notifications(completed).length, 1);
  });

  it("never reaches a client without URL mode [ELIC-002] [ELIC-028]", async () => {
    const client = await RawClient.connect(requiring([needed]), { capabilities: { elicitation: {} } });
    const { result, error } = await client.call("t");
    assert.equal(error, undefined);
    assert.equal(result?.isError, true);
    const refused = await client.request("prompts/get", { name: "p" });
    assert.equal(refused.error?.code, -32603);
    assert.match(refused.error?.message ?? "", /sign in first/);
  });

  it("is refused where it lists nothing, or something that is no page [ELIC-029]", async () => {
    for (const elicitations of [
      [],
      [{ ...needed, mode: "form" }],
      [{ ...needed, url: "nope" }],
      [{ ...needed, message: "" }],
    ]) {
      const faults: unknown[] = [];
      const client = await RawClient.connect(
        requiring(elicitations, (fault) => faults.push(fault)),
        { capabilities: url },
      );
      const { error } = await client.call("t");
      assert.deepEqual(error, { code: -32603, message: "internal error" });
      assert.equal((faults[0] as { code: string }).code, "MCP_USAGE");
    }
  });
});
