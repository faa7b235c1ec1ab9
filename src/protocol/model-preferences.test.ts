import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { chooseModel } from "./model-preferences.ts";

describe("chooseModel", () => {
  it("evaluates hints in order, the first match wins [SAMP-028]", () => {
    const models = [{ name: "a1" }, { name: "b1" }];
    assert.equal(chooseModel(models, { hints: [{ name: "b" }, { name: "a" }] })?.name, "b1");
    assert.equal(chooseModel(models, { hints: [{ name: "zz" }, { name: "a" }] })?.name, "a1");
  });

  it("matches a hint as part of a name in any case, or of an alias [SAMP-029]", () => {
    const models = [{ name: "other" }, { name: "claude-3-5-sonnet-20241022", aliases: ["gemini-pro"] }];
    assert.equal(chooseModel(models, { hints: [{ name: "Sonnet" }] })?.name, "claude-3-5-sonnet-20241022");
    assert.equal(chooseModel(models, { hints: [{ name: "gemini" }] })?.name, "claude-3-5-sonnet-20241022");
  });

  it("lets priorities decide between matches, never against a hint [SAMP-030]", () => {
    const models = [
      { name: "m-dear", cost: 0, intelligence: 1 },
      { name: "m-cheap", cost: 1, intelligence: 0.5 },
      { name: "x-cheapest", cost: 1, intelligence: 1 },
    ];
    const hints = [{ name: "m-" }];
    assert.equal(chooseModel(models, { hints, costPriority: 1 })?.name, "m-cheap");
    assert.equal(chooseModel(models, { hints, intelligencePriority: 1 })?.name, "m-dear");
    assert.equal(
      chooseModel(models, { hints: [{ name: "none" }], costPriority: 1, intelligencePriority: 1 })?.name,
      "x-cheapest",
    );
  });

  it("keeps the given order among equals and ignores a hint without a name", () => {
    assert.equal(chooseModel([{ name: "a" }, { name: "b" }], { hints: [{}, { name: "" }] })?.name, "a");
    assert.equal(chooseModel([{ name: "a" }, { name: "b" }])?.name, "a");
    assert.equal(chooseModel([]), undefined);
  });
});
