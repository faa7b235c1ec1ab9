import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonRpcResponse } from "../../jsonrpc/message.ts";
import { latestHandshake, latestStateless } from "../../revision/registry.ts";
import { answerRequest } from "./answer.ts";
import { InboundExchange } from "./exchange.ts";
import { resolveHttpServerOptions } from "./options.ts";
import { HttpRuntime } from "./runtime.ts";

function answer(dispatch: () => Promise<JsonRpcResponse | undefined>, revision = latestStateless) {
  const codes: string[] = [];
  const options = resolveHttpServerOptions({ onDiagnostic: ({ code }) => codes.push(code) });
  const context = { revision, session: undefined, auth: undefined, http: undefined };
  const unused = (): never => assert.fail("not used here");
  const outlet = { notify: unused, request: unused, closeStream: unused, closeStandingStream: unused };
  const message = { jsonrpc: "2.0", id: "a", method: "x" } as const;
  const exchange = new InboundExchange("a", context, outlet);
  return { codes, answered: answerRequest(new HttpRuntime({ dispatch }, options), message, exchange) };
}

const unknown = { jsonrpc: "2.0", id: "a", error: { code: -32601, message: "unknown" } } as const;

describe("answerRequest", () => {
  it("gives the answer as text, with the status that its revision has for it [M-ERR-010]", async () => {
    const text = JSON.stringify(unknown);
    assert.deepEqual(await answer(async () => unknown).answered, { text, status: 404 });
    assert.deepEqual(await answer(async () => unknown, latestHandshake).answered, { text, status: 200 });
  });

  it("makes an internal error of a dispatcher that fails, says nothing or says what JSON cannot write", async () => {
    const failure = '{"jsonrpc":"2.0","id":"a","error":{"code":-32603,"message":"internal error"}}';
    for (const dispatch of [
      () => Promise.reject(new Error("secret")),
      async () => undefined,
      async () => ({ jsonrpc: "2.0", id: "a", result: { big: 1n } }) as const,
    ]) {
      const { answered, codes } = answer(dispatch);
      assert.deepEqual([await answered, codes], [{ text: failure, status: 200 }, ["MCP_D_DISPATCHER_FAULT"]]);
    }
  });
});
