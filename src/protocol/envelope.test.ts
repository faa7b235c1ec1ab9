import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Envelope, envelopeKeys, isEnveloped, readEnvelope, withEnvelope } from "./envelope.ts";

const envelope: Envelope = {
  protocolVersion: "2026-07-28",
  clientCapabilities: { elicitation: {} },
  clientInfo: { name: "c", version: "1" },
  logLevel: "warning",
};

describe("withEnvelope", () => {
  it("adds the keys beside the caller's own, which cannot fake them [M-META-001] [M-META-002] [M-META-007]", () => {
    const params = withEnvelope(
      { name: "add", _meta: { "com.example/x": 1, [envelopeKeys.protocolVersion]: "forged" } },
      { protocolVersion: "2026-07-28", clientCapabilities: {} },
    );
    assert.deepEqual(params, {
      name: "add",
      _meta: {
        "com.example/x": 1,
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
      },
    });
  });
});

describe("readEnvelope", () => {
  it("reads what was written", () => {
    assert.deepEqual(readEnvelope(withEnvelope(undefined, envelope)), { ok: true, envelope });
  });

  it("needs no client info [M-META-005]", () => {
    const { clientInfo, ...rest } = envelope;
    const read = readEnvelope(withEnvelope({}, rest));
    assert.equal(read.ok && read.envelope.clientInfo, undefined);
  });

  it("names what is missing or of the wrong type [M-META-004] [M-LOG-004]", () => {
    const problemOf = (change: { [key: string]: unknown }): string => {
      const { _meta } = withEnvelope(undefined, envelope);
      const read = readEnvelope({ _meta: { ...(_meta as object), ...change } });
      return read.ok ? "none" : read.problem;
    };
    assert.match(problemOf({ [envelopeKeys.protocolVersion]: 20_260_728 }), /protocolVersion.*expected a string/);
    assert.match(problemOf({ [envelopeKeys.protocolVersion]: undefined }), /protocolVersion/);
    assert.match(problemOf({ [envelopeKeys.clientCapabilities]: [] }), /clientCapabilities.*expected an object/);
    assert.match(problemOf({ [envelopeKeys.clientCapabilities]: null }), /clientCapabilities/);
    assert.match(problemOf({ [envelopeKeys.logLevel]: "warn" }), /logLevel/);
    for (const params of [undefined, {}, { _meta: null }, { _meta: [] }]) {
      assert.equal(readEnvelope(params as never).ok, false);
    }
  });
});

describe("isEnveloped", () => {
  it("tells requests that stand for themselves from those of a session", () => {
    assert.equal(isEnveloped(withEnvelope({}, envelope)), true);
    assert.equal(isEnveloped({ _meta: { [envelopeKeys.clientCapabilities]: {} } }), true);
    assert.equal(isEnveloped({ _meta: { progressToken: 1 } }), false);
    assert.equal(isEnveloped(undefined), false);
  });
});
