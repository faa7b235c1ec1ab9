import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { RpcError } from "../../jsonrpc/error.ts";
import type { Call, Link } from "../../jsonrpc/link.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import { findHandshake, latestHandshake } from "../../revision/registry.ts";
import type { Revision } from "../../revision/revision.ts";
import { type Agreement, shakeHands } from "./handshake.ts";

const identity = {
  info: { name: "c", version: "1", title: "C" },
  capabilities: { elicitation: { form: {}, url: {} }, sampling: { tools: {} } },
};

async function shake(link: Link, requested: Revision, signal = new AbortController().signal): Promise<Agreement> {
  let agreed: Agreement | undefined;
  await shakeHands(
    link,
    identity,
    requested,
    (handshake) => {
      agreed = handshake;
    },
    signal,
  );
  assert.ok(agreed);
  return agreed;
}

function linkTo(answer: (call: Call) => JsonObject) {
  const calls: Call[] = [];
  const link: Link = {
    start: async () => {},
    request: async (call) => {
      calls.push(call);
      return answer(call);
    },
    notify: async (call) => {
      calls.push(call);
    },
    close: async () => {},
    closed: new Promise(() => {}),
  };
  return { link, calls };
}

const answerWith =
  (protocolVersion: string, capabilities: object = {}) =>
  () => ({
    protocolVersion,
    capabilities,
    serverInfo: { name: "s", version: "2" },
  });

describe("shakeHands", () => {
  it("sends initialize, then initialized without params, and gives what was negotiated [LIFE-002] [LIFE-006]", async () => {
    const { link, calls } = linkTo(answerWith(latestHandshake.id, { tools: {} }));
    const shaken = await shake(link, latestHandshake);
    assert.equal(shaken.revision, latestHandshake);
    assert.deepEqual(shaken.capabilities, { tools: {} });
    assert.deepEqual(shaken.serverInfo, { name: "s", version: "2" });
    assert.deepEqual(calls, [
      {
        method: "initialize",
        params: { protocolVersion: latestHandshake.id, capabilities: identity.capabilities, clientInfo: identity.info },
      },
      { method: "notifications/initialized" },
    ]);
  });

  it("says nothing to an older revision that it does not know [LIFE-017]", async () => {
    const older = findHandshake("2025-06-18");
    assert.ok(older);
    const { link, calls } = linkTo(answerWith(older.id, { tasks: {}, tools: {} }));
    const shaken = await shake(link, older);
    assert.deepEqual(calls[0]?.params?.capabilities, { elicitation: {}, sampling: {} });
    assert.deepEqual(shaken.capabilities, { tools: {} });
  });

  it("passes on any other refusal with its code, words and data [PP-065]", async () => {
    const data = { supported: "all" };
    for (const rpcCode of [-32_602, -32_603]) {
      const { link } = linkTo(() => {
        throw new RpcError(rpcCode, "no", { data, remote: true });
      });
      await assert.rejects(shake(link, latestHandshake), { rpcCode, message: "no", data, remote: true });
    }
  });

  it("does not say initialized once it was given up [CANCEL-003]", async () => {
    const controller = new AbortController();
    const { link, calls } = linkTo(() => {
      controller.abort("late");
      return answerWith(latestHandshake.id)();
    });
    const shaking = shake(link, latestHandshake, controller.signal);
    await assert.rejects(shaking, (error) => error === "late");
    assert.deepEqual(
      calls.map(({ method }) => method),
      ["initialize"],
    );
  });
});
