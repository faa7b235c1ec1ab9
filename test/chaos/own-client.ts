// Our client as a player.

import { connect } from "parley-mcp/connect";
import type { Ledger } from "./ledger.ts";
import { type ChaosClient, readText } from "./player.ts";
import { createTap } from "./wire-tap.ts";

/** Connects one that speaks a given revision. */
export async function openOwnClient(url: string, revision: string, ledger: Ledger): Promise<ChaosClient> {
  const tap = createTap(ledger);
  const session = await connect(url, {
    revision,
    http: {
      fetch: (target, { hold: _hold, ...init }) => tap(target, init),
      reconnect: { maxAttempts: 60, maxDelayMs: 1_000 },
    },
    client: {
      name: "own",
      version: "1.0.0",
      elicitation: {
        form: () => {
          ledger.questions += 1;
          return { action: "accept", content: { word: "indeed" } };
        },
      },
    },
  });
  return {
    canBeAsked: revision >= "2025-06-18",
    call: async (name, args, onProgress) => {
      const { content, isError } = await session.callTool(name, args, {
        ...(onProgress && { onProgress }),
        idleTimeoutMs: 60_000,
      });
      return readText(content, isError);
    },
    subscribe: async (uri, onUpdated) => {
      await session.subscribe(uri, onUpdated);
    },
    close: () => session.close(),
  };
}
