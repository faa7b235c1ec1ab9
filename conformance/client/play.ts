// What playing a scenario means: the types that the list of scenarios and the functions in it share.

import type { ClientSession } from "parley-mcp/client";

/** A call that the suite wants made, word for word. */
export interface WantedCall {
  readonly name: string;
  readonly arguments: { readonly [name: string]: unknown };
}

/** What the suite says about a scenario beside its name; only some have anything. */
export interface ScenarioContext {
  readonly toolCalls?: readonly WantedCall[] | undefined;
}

/** Plays one scenario in an open session; throws where it cannot. */
export type PlayScenario = (session: ClientSession, context: ScenarioContext) => Promise<void>;

/**
 * Reads what the suite puts into `MCP_CONFORMANCE_CONTEXT`.
 *
 * @throws SyntaxError for what is no JSON
 */
export function parseContext(text: string | undefined): ScenarioContext {
  return text === undefined ? {} : (JSON.parse(text) as ScenarioContext);
}
