// What the client does in each scenario, by the scenario's name: a list to extend. The functions are beside this file.

import { acceptDefaults, carryStateThroughRounds } from "./asking.ts";
import { addNumbers, callAcrossReconnection, justConnect, listTools, returnSchema } from "./basics.ts";
import { callEveryTool, makeWantedCalls, useEverything } from "./headers.ts";
import type { PlayScenario } from "./play.ts";

/** All scenarios the client can play. */
export const scenarios: ReadonlyMap<string, PlayScenario> = new Map<string, PlayScenario>([
  ["initialize", justConnect],
  ["request-metadata", justConnect],
  ["tools_call", addNumbers],
  ["json-schema-2020-12-preservation", returnSchema],
  ["json-schema-ref-no-deref", listTools],
  ["sse-retry", callAcrossReconnection],
  ["elicitation-sep1034-client-defaults", acceptDefaults],
  ["sep-2322-client-request-state", carryStateThroughRounds],
  ["http-standard-headers", useEverything],
  ["http-custom-headers", makeWantedCalls],
  ["http-invalid-tool-headers", callEveryTool],
]);
