import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createGrantRig } from "../../../../test/fixtures/auth/grant-rig.ts";
import type { Registration } from "../storage/credential.ts";
import { dropDynamic, findDynamic, keepDynamic } from "./registration-history.ts";

const issuer = "https://as.example";

function toClient(clientId: string, more: Partial<Registration> = {}): Registration {
  return { kind: "dynamic", issuer, clientId, redirectUris: [clientId], ...more };
}

const never = (): boolean => false;

describe("keepDynamic", () => {
  it("keeps the newest and the four before it, secrets included", async () => {
    const { context } = createGrantRig();
    for (const clientId of ["1", "2", "3", "4", "5", "6"]) {
      await keepDynamic(toClient(clientId, { clientSecret: `s${clientId}` }), never, context);
    }
    const find = (id: string): Promise<Registration | undefined> =>
      findDynamic(issuer, ({ clientId }) => clientId === id, context);
    assert.equal(await find("1"), undefined);
    assert.equal((await find("2"))?.clientSecret, "s2");
    assert.equal((await find("6"))?.clientSecret, "s6");
    assert.ok((await context.credentials.findRegistration(issuer))?.record.clientId === "6");
  });

  it("takes the place of what cannot be read", async () => {
    const { context, diagnostics } = createGrantRig();
    await context.credentials.store.set(`registration/${encodeURIComponent(issuer)}`, "{");
    assert.equal((await keepDynamic(toClient("1"), never, context)).clientId, "1");
    assert.equal((await findDynamic(issuer, () => true, context))?.clientId, "1");
    assert.ok(diagnostics.length > 0);
  });
});

describe("findDynamic", () => {
  it("overlooks earlier entries that are none, and those of another issuer", async () => {
    const { context } = createGrantRig();
    const earlier = [7, { kind: "dynamic" }, toClient("x", { issuer: "https://other.example" }), toClient("y")];
    const record = { ...toClient("1"), earlier };
    await context.credentials.saveRegistration(record);
    const seen: string[] = [];
    await findDynamic(issuer, ({ clientId }) => seen.push(clientId) < 0, context);
    assert.deepEqual(seen, ["1", "y"]);
  });
});

describe("dropDynamic", () => {
  it("does nothing where the client is not there", async () => {
    const { context } = createGrantRig();
    await dropDynamic(toClient("1"), context);
    await keepDynamic(toClient("2"), never, context);
    await dropDynamic(toClient("1"), context);
    assert.equal((await findDynamic(issuer, () => true, context))?.clientId, "2");
  });
});
