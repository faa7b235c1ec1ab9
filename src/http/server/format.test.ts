import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { chooseFormat, refuseFormat } from "./format.ts";

describe("chooseFormat", () => {
  it("answers with what the server is set to, as far as the client takes it [PP-109]", () => {
    const both = "text/event-stream, application/json";
    const choose = (accept: string | undefined, response: "auto" | "json" | "stream", strictAccept = false) =>
      chooseFormat(accept, { response, strictAccept });
    assert.deepEqual(
      [both, undefined, "*/*"].map((accept) => choose(accept, "auto")),
      ["auto", "auto", "auto"],
    );
    assert.equal(choose("application/json", "auto"), "json");
    assert.equal(choose("text/*", "auto"), "stream");
    assert.equal(choose("text/plain", "auto"), undefined);
    assert.equal(choose("application/json", "json"), "json");
    assert.equal(choose("text/event-stream", "json"), undefined);
    assert.equal(choose("application/json", "stream"), undefined);
    assert.equal(choose("application/json, text/event-stream", "json"), "json");
    assert.equal(choose(both, "stream", true), "stream");
    assert.equal(choose("*/*", "auto", true), undefined);
  });
});

describe("refuseFormat", () => {
  it("says what is expected", () => {
    const reply = refuseFormat({ response: "json", strictAccept: false });
    assert.equal(reply.status, 406);
    assert.match(reply.body, /expected application\/json;/);
    assert.equal(JSON.parse(refuseFormat({ response: "auto", strictAccept: false }, "a").body).id, "a");
  });
});
