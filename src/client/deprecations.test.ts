import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeServer } from "../../test/fixtures/fake-server.ts";
import { StatelessServer } from "../../test/fixtures/stateless-server.ts";
import type { Diagnostic } from "../base/diagnostic.ts";
import { defineClient } from "./client.ts";
import type { ClientOptions } from "./options.ts";

function create(options: Partial<ClientOptions> = {}) {
  const diagnostics: Diagnostic[] = [];
  const onDiagnostic = (diagnostic: Diagnostic): number => diagnostics.push(diagnostic);
  const client = defineClient({ name: "c", version: "1", onDiagnostic, ...options });
  const noted = (): string[] =>
    diagnostics.filter(({ code }) => code === "MCP_D_DEPRECATED").map(({ message }) => message.split(" ")[0] ?? "");
  return { client, noted };
}

const createMessage = () => ({ role: "assistant" as const, content: { type: "text" as const, text: "" }, model: "m" });

describe("Deprecations", () => {
  it("mentions each feature that is used once per client, where the revision advises against it [M-DEP-002] [M-DEP-001]", async () => {
    const { client, noted } = create({ roots: [], sampling: { createMessage }, logLevel: "error" });
    for (let index = 0; index < 2; index += 1) {
      const session = await client.connect(new StatelessServer({ capabilities: { logging: {} } }).channel);
      await session.setLogLevel("debug");
      await session.close();
    }
    assert.deepEqual(noted(), ["sampling", "roots", "logging"]);
  });

  it("has nothing to say to a plain client, which offers nothing to servers, nor to an older server [M-DEP-002]", async () => {
    const plain = create();
    assert.deepEqual(Object.keys(plain.client.capabilities), ["extensions"]);
    const session = await plain.client.connect(new StatelessServer().channel);
    await session.close();
    const { client, noted } = create({ roots: [] });
    const older = await client.connect(new FakeServer().channel);
    await older.close();
    assert.deepEqual([...plain.noted(), ...noted()], []);
  });
});
