import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { AuthorizationRecord } from "../record.ts";
import { DiscoveryLog } from "./discovery-log.ts";

describe("DiscoveryLog", () => {
  it("takes steps down in the record, and tells only its own in the error [AUTH-012]", () => {
    const record = new AuthorizationRecord(() => 5);
    record.add("token", "ok", "from another time");
    const log = new DiscoveryLog(record);
    log.add("resource-metadata", "skipped", "status 404", "https://h.example/a");
    record.add("token", "ok", "from beside");
    log.add("server-metadata", "failed", "expected JSON");
    assert.deepEqual(
      record.steps.map(({ detail }) => detail),
      ["from another time", "status 404", "from beside", "expected JSON"],
    );
    const error = log.toError("server-metadata", "found nothing", "https://as.example");
    assert.equal(
      error.message,
      "found nothing; tried:\n  skipped: https://h.example/a: status 404\n  failed: expected JSON",
    );
    assert.equal(error.stage, "server-metadata");
    assert.equal(error.issuer, "https://as.example");
    assert.equal(error.isTransient, false);
  });

  it("shows addresses without query, fragment and user name", () => {
    const record = new AuthorizationRecord(() => 0);
    const log = new DiscoveryLog(record);
    log.add("resource-metadata", "failed", "x", "https://me:pw@h.example/a?key=1#b");
    log.add("resource-metadata", "failed", "x", "data:text/html,hush");
    assert.deepEqual(
      record.steps.map(({ url }) => url),
      ["https://h.example/a", "data:"],
    );
  });

  it("makes an error transient only where a step was, and never one that stops the flow", () => {
    const log = new DiscoveryLog(new AuthorizationRecord(() => 0));
    log.markTransient();
    assert.equal(log.toError("server-metadata", "x").isTransient, true);
    assert.equal(log.toStop("server-metadata", "x").isTransient, false);
  });

  it("takes down what stops the flow", () => {
    const record = new AuthorizationRecord(() => 0);
    const error = new DiscoveryLog(record).toStop("resource-metadata", "wrong resource");
    assert.equal(error.message, "wrong resource");
    assert.deepEqual(record.steps, [
      { atMs: 0, stage: "resource-metadata", outcome: "failed", detail: "wrong resource" },
    ]);
  });
});
