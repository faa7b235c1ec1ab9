import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseOptions } from "./options.ts";

describe("parseOptions", () => {
  it("runs both roles unless one is named", () => {
    assert.deepEqual(parseOptions([]).filter, { roles: ["server", "client"], revisions: [], only: [] });
    assert.deepEqual(parseOptions(["--server", "--client"]).filter.roles, ["server", "client"]);
    assert.deepEqual(parseOptions(["--client"]).filter.roles, ["client"]);
    assert.deepEqual(parseOptions(["--server"]).filter.roles, ["server"]);
  });

  it("takes several scenarios and revisions by name", () => {
    assert.deepEqual(parseOptions(["--revision", "2025-11-25"]).filter.revisions, ["2025-11-25"]);
    assert.deepEqual(parseOptions(["--only", "ping", "--only", "initialize"]).filter.only, ["ping", "initialize"]);
  });

  it("refuses an option that does not exist", () => {
    assert.throws(() => parseOptions(["--expected-failures"]), /expected-failures/);
  });
});
