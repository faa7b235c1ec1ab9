// What the client does in each scenario, by the scenario's name: a list to extend. The functions are beside this file.

import { acceptDefaults, carryStateThroughRounds } from "./asking.ts";
import { authorizationScenarios } from "./authorization.ts";
import { addNumbers, callAcrossReconnection, justConnect, listTools, returnSchema } from "./basics.ts";
import { callEveryTool, makeWantedCalls, useEverything } from "./headers.ts";
import type { Scenario } from "./play.ts";

/** All scenarios the client can play. */
export const scenarios: ReadonlyMap<string, Scenario> = new Map<string, Scenario>([
  ["initialize", { play: justConnect }],
  ["request-metadata", { play: justConnect }],
  ["tools_call", { play: addNumbers }],
  ["json-schema-2020-12-preservation", { play: returnSchema }],
  ["json-schema-ref-no-deref", { play: listTools }],
  ["sse-retry", { play: callAcrossReconnection }],
  ["elicitation-sep1034-client-defaults", { play: acceptDefaults }],
  ["sep-2322-client-request-state", { play: carryStateThroughRounds }],
  ["http-standard-headers", { play: useEverything }],
  ["http-custom-headers", { play: makeWantedCalls }],
  ["http-invalid-tool-headers", { play: callEveryTool }],
  ...authorizationScenarios,
]);
