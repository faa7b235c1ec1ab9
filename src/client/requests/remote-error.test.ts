import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { PeerError } from "../../base/error.ts";
import { RpcError } from "../../jsonrpc/error.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { KnownError } from "../../protocol/errors.ts";
import { toFittingError } from "./remote-error.ts";

const page = { mode: "url", message: "m", url: "https://a.example/", elicitationId: "1" };

/** What a caller gets of an error that the server sent. */
function received(
  rpcCode: number,
  data?: unknown,
  method = "resources/read",
  params: JsonObject = { uri: "a:b" },
): KnownError {
  const error = new RpcError(rpcCode, "exactly this", { data, remote: true });
  return toFittingError(error, { method, params }) as KnownError;
}

describe("toFittingError", () => {
  it("gives codes that are known their class, with code, message and data as sent [PP-065]", () => {
    const cases: [number, unknown, string, method?: string, params?: JsonObject][] = [
      [-32601, undefined, "MCP_METHOD_NOT_FOUND"],
      [-32601, { any: 1 }, "MCP_METHOD_NOT_FOUND"],
      [-32602, undefined, "MCP_INVALID_PARAMS"],
      [-32602, { supported: ["1"] }, "MCP_INVALID_PARAMS"],
      [
        -32602,
        { supported: ["1"], requested: "2" },
        "MCP_UNSUPPORTED_REVISION",
        "initialize",
        { protocolVersion: "2" },
      ],
      [-32602, { supported: "all" }, "MCP_INVALID_PARAMS", "initialize", { protocolVersion: "2" }],
      [-32022, { supported: ["1"], requested: "2" }, "MCP_UNSUPPORTED_REVISION", "tools/list", {}],
      [-32002, undefined, "MCP_RESOURCE_NOT_FOUND"],
      [-32002, { uri: "c:d" }, "MCP_RESOURCE_NOT_FOUND", "x/own", {}],
      [-32042, { elicitations: [page] }, "MCP_URL_ELICITATION_REQUIRED"],
      [-32021, { requiredCapabilities: { elicitation: { url: {} } } }, "MCP_MISSING_CAPABILITY"],
    ];
    for (const [rpcCode, data, code, method, params] of cases) {
      const error = received(rpcCode, data, method, params);
      assert.equal(error.code, code);
      assert.ok(error instanceof RpcError);
      const { message, remote } = error;
      assert.deepEqual([error.rpcCode, message, error.data, remote], [rpcCode, "exactly this", data, true], code);
    }
  });

  it("fills what each class promises, from the data or from what was asked", () => {
    const told: unknown[] = [];
    const look = (error: KnownError): void => {
      switch (error.code) {
        case "MCP_RESOURCE_NOT_FOUND":
          told.push(error.uri);
          break;
        case "MCP_UNSUPPORTED_REVISION":
          told.push([error.requested, error.supported]);
          break;
        case "MCP_URL_ELICITATION_REQUIRED":
          told.push(error.elicitations[0]?.url);
          break;
        case "MCP_MISSING_CAPABILITY":
          told.push(error.capability);
          break;
        default:
          assert.fail(error.code);
      }
    };
    look(received(-32002));
    look(received(-32002, { uri: "c:d" }));
    look(received(-32022, { supported: ["1", 2], requested: "2" }));
    look(received(-32602, { supported: ["1"] }, "initialize", { protocolVersion: "3" }));
    look(received(-32042, { elicitations: [page] }));
    look(received(-32021, { requiredCapabilities: { sampling: { tools: {} }, roots: {} } }));
    assert.deepEqual(told, ["a:b", "c:d", ["2", ["1"]], ["3", ["1"]], "https://a.example/", "sampling.tools"]);
  });

  it("leaves plain what it does not know, and what lacks its details [PP-065]", () => {
    const unusable: [number, unknown][] = [
      [-32042, undefined],
      [-32042, { elicitations: [] }],
      [-32042, { elicitations: [{ mode: "form", message: "m" }] }],
      [-32022, { supported: "all" }],
      [-32021, { requiredCapabilities: [] }],
      [-32021, { requiredCapabilities: {} }],
    ];
    for (const [rpcCode, data] of [
      ...unusable,
      [-32000, undefined],
      [-32050, { uri: "a:b" }],
      [7, undefined],
    ] as const) {
      const error = new RpcError(rpcCode, "odd", { data, remote: true });
      assert.equal(toFittingError(error, { method: "resources/read", params: { uri: "a:b" } }), error);
    }
    const lost = new RpcError(-32002, "gone", { remote: true });
    assert.equal(toFittingError(lost, { method: "prompts/get", params: { name: "p" } }), lost);
  });

  it("leaves alone what no server sent", () => {
    for (const error of [new RpcError(-32601, "ours"), new PeerError("odd"), new Error("any"), undefined]) {
      assert.equal(toFittingError(error, { method: "x" }), error);
    }
  });
});
