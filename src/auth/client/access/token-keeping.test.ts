import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { viewOf } from "../../../../test/fixtures/leases.ts";
import { systemClock } from "../../../base/timer.ts";
import { createMemoryStore } from "../../../store/memory.ts";
import type { TokenSet } from "../storage/credential.ts";
import { Credentials } from "../storage/credentials.ts";
import { TokenKeeping } from "./token-keeping.ts";

const server = "https://mcp.example/mcp";

const tokens: TokenSet = {
  issuer: "https://as.example",
  resource: server,
  clientId: "c",
  accessToken: "a",
  tokenType: "Bearer",
  receivedAtMs: 0,
  requestedScopes: [],
  grantedScopes: [],
};

function open() {
  const disk = { isFull: false };
  const memory = createMemoryStore();
  const set: typeof memory.set = (...given) =>
    disk.isFull ? Promise.reject(new Error("the disk is full")) : memory.set(...given);
  const store = viewOf(memory, { set });
  const credentials = new Credentials({ store, account: "a", clock: systemClock, report: () => undefined });
  const codes: string[] = [];
  const keeping = new TokenKeeping(server, credentials, ({ code }) => codes.push(code));
  return { disk, credentials, codes, keeping };
}

describe("TokenKeeping", () => {
  it("uses tokens that the store did not take, says so, and writes them as soon as it takes them [PP-094]", async () => {
    const { disk, credentials, codes, keeping } = open();
    disk.isFull = true;
    assert.equal(await keeping.save(tokens, undefined), "");
    assert.deepEqual([(await keeping.find(undefined))?.record, codes], [tokens, ["MCP_D_CREDENTIALS"]]);
    await keeping.retry();
    assert.equal(await credentials.findTokens(server, tokens.issuer), undefined);
    disk.isFull = false;
    await keeping.retry();
    assert.deepEqual((await credentials.findTokens(server, tokens.issuer))?.record, tokens);
    assert.deepEqual((await keeping.find(undefined))?.record, tokens);
  });

  it("leaves what somebody else kept first, also when it comes back to it later [PP-089]", async () => {
    const { disk, credentials, keeping } = open();
    const others = { ...tokens, accessToken: "b" };
    await credentials.saveTokens(server, others);
    assert.equal(await keeping.save(tokens, undefined), undefined);
    disk.isFull = true;
    await keeping.save(tokens, undefined);
    disk.isFull = false;
    await keeping.retry();
    assert.deepEqual((await keeping.find(tokens.issuer))?.record, others);
  });

  it("drops what is in memory alone when it is told to", async () => {
    const { disk, keeping } = open();
    disk.isFull = true;
    await keeping.save(tokens, undefined);
    keeping.forget();
    assert.equal(await keeping.find(tokens.issuer), undefined);
  });
});
