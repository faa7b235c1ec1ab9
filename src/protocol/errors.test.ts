import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  type KnownError,
  MethodNotFoundError,
  ResourceNotFoundError,
  ToolError,
  UnsupportedRevisionError,
  UrlElicitationRequiredError,
} from "./errors.ts";

describe("errors of the protocol", () => {
  it("carry the codes and data that the specification gives [BASE-016] [RES-006] [ELIC-029] [LIFE-016]", () => {
    const elicitation = { mode: "url", message: "sign in", url: "https://example.com", elicitationId: "e1" } as const;
    const errors = [
      new MethodNotFoundError("no/such"),
      new ResourceNotFoundError("file:///x"),
      new UrlElicitationRequiredError([elicitation]),
      new UnsupportedRevisionError("1.0.0", ["2025-11-25"]),
    ];
    assert.deepEqual(
      errors.map((error) => [error.rpcCode, error.data]),
      [
        [-32601, undefined],
        [-32002, { uri: "file:///x" }],
        [-32042, { elicitations: [elicitation] }],
        [-32602, { supported: ["2025-11-25"], requested: "1.0.0" }],
      ],
    );
  });

  it("narrow by code", () => {
    const describeError = (error: KnownError): string => {
      switch (error.code) {
        case "MCP_RESOURCE_NOT_FOUND":
          return error.uri;
        case "MCP_TOOL":
          return String(error.content.length);
        default:
          return error.message;
      }
    };
    assert.equal(describeError(new ResourceNotFoundError("file:///x")), "file:///x");
    assert.equal(describeError(new ToolError("no")), "1");
  });
});
