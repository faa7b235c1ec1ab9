// The client fixture of the conformance suite, and of anybody's harness: connects to the URL given as its argument
// and plays the scenario named in MCP_CONFORMANCE_SCENARIO, with what MCP_CONFORMANCE_CONTEXT says about it. It finds out
// by itself which revision the server speaks. Ends with code 0 if it could.

import { defineClient } from "parley-mcp/client";
import { connect } from "parley-mcp/connect";
import { parseContext, playScenario } from "./client/play.ts";
import { scenarios } from "./client/scenarios.ts";

const client = defineClient({
  name: "parley-everything-client",
  version: "1.0.0",
  elicitation: {
    form: ({ defaults }) => ({ action: "accept", content: defaults }),
  },
  sampling: {
    createMessage: () => ({ role: "assistant", content: { type: "text", text: "Hello" }, model: "fixed-answer" }),
  },
  roots: [{ uri: "file:///conformance", name: "conformance" }],
  onDiagnostic: ({ code, message }) => console.error(`${code}: ${message}`),
});

async function main(url: string | undefined, name: string | undefined): Promise<void> {
  const scenario = scenarios.get(name ?? "initialize");
  if (url === undefined || scenario === undefined) {
    const known = [...scenarios.keys()].join(", ");
    throw new Error(`expected a URL, and in MCP_CONFORMANCE_SCENARIO one of ${known}; got ${url}, ${name}`);
  }
  const context = parseContext(process.env.MCP_CONFORMANCE_CONTEXT);
  const auth = scenario.createAuth?.(context);
  await playScenario(scenario, context, () => connect(url, { client, auth }));
}

try {
  await main(process.argv[2], process.env.MCP_CONFORMANCE_SCENARIO);
} catch (error) {
  console.error(error);
  process.exitCode = 1;
}
