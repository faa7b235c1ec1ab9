// The client of the official SDK 1.x as a player.

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { ElicitRequestSchema, ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import type { Ledger } from "./ledger.ts";
import { type ChaosClient, readText } from "./player.ts";
import { createTap } from "./wire-tap.ts";

/** Connects one. */
export async function openOfficialClient(url: string, ledger: Ledger): Promise<ChaosClient> {
  const client = new Client({ name: "official", version: "1.0.0" }, { capabilities: { elicitation: {} } });
  let onUpdated: () => void = () => undefined;
  client.setRequestHandler(ElicitRequestSchema, () => {
    ledger.questions += 1;
    return { action: "accept", content: { word: "indeed" } };
  });
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, () => onUpdated());
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    fetch: createTap(ledger),
    reconnectionOptions: {
      initialReconnectionDelay: 100,
      maxReconnectionDelay: 1_000,
      reconnectionDelayGrowFactor: 1.5,
      maxRetries: 60,
    },
  });
  // The class does not fit its own interface under exactOptionalPropertyTypes.
  await client.connect(transport as Transport);
  return {
    canBeAsked: true,
    call: async (name, args, onProgress) => {
      const options = { timeout: 60_000, ...(onProgress && { onprogress: onProgress }) };
      const result = await client.callTool({ name, arguments: args }, undefined, options);
      return readText(result.content, result.isError);
    },
    subscribe: async (uri, listener) => {
      onUpdated = listener;
      await client.subscribeResource({ uri });
    },
    close: () => client.close(),
  };
}
