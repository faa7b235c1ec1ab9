import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  isClientNotification,
  isClientRequest,
  isServerNotification,
  isServerRequest,
  notificationMethods,
  notificationSender,
  requestMethods,
  requestReceiver,
} from "./methods.ts";

describe("requestReceiver", () => {
  it("tells who answers a request", () => {
    assert.equal(requestReceiver("tools/call"), "server");
    assert.equal(requestReceiver("sampling/createMessage"), "client");
    assert.equal(requestReceiver("ping"), "both");
  });

  it("knows nothing of methods outside the protocol, also when objects inherit the name", () => {
    assert.equal(requestReceiver("tools/destroy"), undefined);
    assert.equal(requestReceiver("constructor"), undefined);
    assert.equal(notificationSender("toString"), undefined);
  });
});

describe("isServerRequest", () => {
  it("keeps the directions apart", () => {
    assert.equal(isServerRequest("tools/list"), true);
    assert.equal(isClientRequest("tools/list"), false);
    assert.equal(isServerRequest("elicitation/create"), false);
    assert.equal(isClientRequest("elicitation/create"), true);
    assert.equal(isServerRequest("ping") && isClientRequest("ping"), true);
  });
});

describe("notificationSender", () => {
  it("tells who sends a notification", () => {
    assert.equal(notificationSender("notifications/message"), "server");
    assert.equal(isServerNotification("notifications/initialized"), false);
    assert.equal(isClientNotification("notifications/initialized"), true);
    assert.equal(
      isServerNotification("notifications/progress") && isClientNotification("notifications/progress"),
      true,
    );
  });
});

describe("requestMethods", () => {
  it("names every request once, and none is also a notification", () => {
    const all = [...requestMethods(), ...notificationMethods()];
    assert.equal(new Set(all).size, all.length);
    assert.ok(notificationMethods().every((method) => method.startsWith("notifications/")));
    assert.ok(requestMethods().every((method) => !method.startsWith("notifications/")));
  });
});
