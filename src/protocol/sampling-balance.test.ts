import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { checkSamplingBalance } from "./sampling-balance.ts";
import type { SamplingMessageContentBlock } from "./types/content.ts";
import type { SamplingMessage } from "./types/sampling.ts";

const text = (): SamplingMessageContentBlock => ({ type: "text", text: "t" });
const use = (id: string): SamplingMessageContentBlock => ({ type: "tool_use", id, name: "f", input: {} });
const result = (toolUseId: string): SamplingMessageContentBlock => ({ type: "tool_result", toolUseId, content: [] });
const user = (...content: SamplingMessageContentBlock[]): SamplingMessage => ({ role: "user", content });
const assistant = (...content: SamplingMessageContentBlock[]): SamplingMessage => ({ role: "assistant", content });

describe("checkSamplingBalance", () => {
  it("takes conversations whose tool uses are all answered at once", () => {
    assert.equal(checkSamplingBalance([]), undefined);
    assert.equal(checkSamplingBalance([{ role: "user", content: text() }, assistant(text())]), undefined);
    assert.equal(
      checkSamplingBalance([
        user(text()),
        assistant(text(), use("1")),
        user(result("1")),
        assistant(use("1")),
        user(result("1")),
      ]),
      undefined,
    );
  });

  it("takes parallel tool uses answered in one message, in any order [SAMP-019]", () => {
    assert.equal(checkSamplingBalance([assistant(use("1"), use("2")), user(result("2"), result("1"))]), undefined);
    assert.equal(
      checkSamplingBalance([assistant(use("1"), use("2")), user(result("1")), user(result("2"))]),
      'Tool result missing in request: messages[1] does not answer "2" of the message before',
    );
  });

  it("refuses a result for an unknown or an earlier tool use [SAMP-016]", () => {
    assert.equal(
      checkSamplingBalance([user(result("9"))]),
      'messages[0]: expected toolUseId to name a tool_use of the message before, got "9"',
    );
    assert.match(
      checkSamplingBalance([assistant(use("1")), user(result("1")), user(result("1"))]) ?? "",
      /^messages\[2\]: expected toolUseId to name/,
    );
  });

  it("refuses other content beside a tool result [SAMP-017]", () => {
    assert.match(
      checkSamplingBalance([assistant(use("1")), user(result("1"), text())]) ?? "",
      /^messages\[1\]: expected a message with a tool_result to hold tool_result blocks only/,
    );
  });

  it("refuses missing, partial and late results [SAMP-018]", () => {
    const missing = /^Tool result missing in request: /;
    assert.match(checkSamplingBalance([assistant(use("1"))]) ?? "", missing);
    assert.match(checkSamplingBalance([assistant(use("1")), user(text())]) ?? "", missing);
    assert.match(checkSamplingBalance([assistant(use("1"), use("2")), user(result("1"))]) ?? "", missing);
    assert.match(checkSamplingBalance([assistant(use("1")), assistant(text()), user(result("1"))]) ?? "", missing);
  });

  it("refuses blocks in the mouth of the wrong speaker and ids used twice", () => {
    assert.match(checkSamplingBalance([user(use("1"))]) ?? "", /tool_use blocks in assistant messages only/);
    assert.match(checkSamplingBalance([assistant(result("1"))]) ?? "", /tool_result blocks in user messages only/);
    assert.match(checkSamplingBalance([assistant(use("1"), use("1"))]) ?? "", /ids to differ, got "1" twice/);
    assert.match(
      checkSamplingBalance([assistant(use("1")), user(result("1"), result("1"))]) ?? "",
      /a second one for "1"/,
    );
  });
});
