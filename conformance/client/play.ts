// What playing a scenario means: the types that the list of scenarios and the functions in it share, and playing itself.

import { AuthorizationError, type AuthorizationStage } from "parley-mcp";
import type { OAuthClient } from "parley-mcp/auth/client";
import type { ClientSession } from "parley-mcp/client";

/** A call that the suite wants made, word for word. */
export interface WantedCall {
  readonly name: string;
  readonly arguments: { readonly [name: string]: unknown };
}

/** What the suite says about a scenario beside its name; only some have anything. */
export interface ScenarioContext {
  readonly toolCalls?: readonly WantedCall[] | undefined;
  /** Facts for logging in, such as `client_id`. */
  readonly [name: string]: unknown;
}

/** Plays one scenario in an open session; throws where it cannot. */
export type PlayScenario = (session: ClientSession, context: ScenarioContext) => Promise<void>;

/** Makes what gets tokens. */
export type CreateAuth = (context: ScenarioContext) => OAuthClient;

/** How one scenario is played. */
export interface Scenario {
  readonly play: PlayScenario;
  /** For servers that ask who calls. */
  readonly createAuth?: CreateAuth | undefined;
  /** The stage of authorization at which the client has to give up, where that is what the scenario wants to see. */
  readonly givesUpAt?: AuthorizationStage | undefined;
}

/**
 * Opens a session and plays a scenario in it.
 *
 * @throws what cannot be done, and Error where the client goes on though it has to give up
 */
export async function playScenario(
  { play, givesUpAt }: Scenario,
  context: ScenarioContext,
  open: () => Promise<ClientSession>,
): Promise<void> {
  try {
    await using session = await open();
    await play(session, context);
  } catch (error) {
    if (error instanceof AuthorizationError && error.stage === givesUpAt) {
      return;
    }
    throw error;
  }
  if (givesUpAt !== undefined) {
    throw new Error(`expected the client to give up at the stage "${givesUpAt}", but it got through`);
  }
}

/**
 * Reads what the suite puts into `MCP_CONFORMANCE_CONTEXT`.
 *
 * @throws SyntaxError for what is no JSON
 */
export function parseContext(text: string | undefined): ScenarioContext {
  return text === undefined ? {} : (JSON.parse(text) as ScenarioContext);
}

/**
 * A text in the context.
 *
 * @throws Error where it has none of that name
 */
export function readFact(context: ScenarioContext, name: string): string {
  const fact = context[name];
  if (typeof fact !== "string") {
    throw new Error(`expected a text "${name}" in MCP_CONFORMANCE_CONTEXT, got ${typeof fact}`);
  }
  return fact;
}
