// Registers a scenario once for every link and every revision in which it makes sense.
//
// After each case everything that travelled is held against the official schema of the revision that was spoken.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ClientOptions, ClientSession } from "parley-mcp/client";
import type { HttpServerOptions } from "parley-mcp/http/server";
import type { Server } from "parley-mcp/server";
import { revisions, statelessRevisions } from "../../src/revision/registry.ts";
import {
  type Ability,
  abilitiesOf,
  type Joined,
  type MatrixLink,
  matrixLinks,
  type Serving,
} from "../fixtures/matrix-links.ts";
import { officialSchema, skipSchemas } from "../fixtures/official-schema.ts";
import type { Wire } from "../fixtures/wire.ts";
import { within } from "../fixtures/within.ts";

/** What a scenario works with. */
export interface Stage<App extends Server = Server> {
  readonly client: ClientSession;
  readonly wire: Wire;
  readonly app: App;
  /** What the link can carry in this revision. */
  readonly can: ReadonlySet<Ability>;
  readonly revision: string;
  /** Whether requests stand for themselves in it. */
  readonly isAlone: boolean;
  /** Connects one more client to the same server. */
  join(options?: ClientOptions): Promise<Joined>;
}

/** One piece of behaviour, seen from outside. */
export interface Scenario<App extends Server = Server> {
  /** A sentence of behaviour, with the ids it proves. */
  readonly title: string;
  /** What a link must be able to carry. Default: nothing but requests and answers. */
  readonly needs?: readonly Ability[];
  /** What the links it is about cannot carry. */
  readonly lacks?: readonly Ability[];
  /** The first revision that has it. Default: the first of all. */
  readonly since?: string;
  /** The last revision that it is about. Default: the last of all. */
  readonly until?: string;
  /** How HTTP links serve. */
  readonly http?: HttpServerOptions;
  /** Whether both sides keep to the official schema here. Default true; false where one of them is made to break it. */
  readonly isOfficial?: boolean;
  /** The server. */
  readonly app: () => App;
  /** The client. Default: one that serves nothing. */
  readonly client?: () => ClientOptions;
  /** What happens, and what must have happened. */
  readonly run: (stage: Stage<App>) => Promise<void>;
}

/** Registers scenarios of one feature. */
export function verifies(feature: string, scenarios: readonly Scenario<never>[]): void {
  describe(feature, () => {
    for (const scenario of scenarios as unknown as readonly Scenario[]) {
      for (const each of casesOf(scenario)) {
        it(`${scenario.title} (${each.link.name}, ${each.revision})`, () => runCase(scenario, each));
      }
    }
  });
}

/** A scenario whose server keeps its type. */
export function scenario<App extends Server>(given: Scenario<App>): Scenario<never> {
  return given as unknown as Scenario<never>;
}

/** One combination. */
interface Case {
  readonly link: MatrixLink;
  readonly revision: string;
  readonly can: ReadonlySet<Ability>;
}

function casesOf({ needs = [], lacks = [], since = "", until = "9" }: Scenario): Case[] {
  const ids = revisions.map(({ id }) => id).filter((id) => since <= id && id <= until);
  const cases = matrixLinks.flatMap((link) =>
    ids.flatMap((revision) => {
      const can = abilitiesOf(link, revision);
      return can === undefined ? [] : [{ link, revision, can }];
    }),
  );
  return cases.filter(
    ({ can }) => needs.every((ability) => can.has(ability)) && !lacks.some((ability) => can.has(ability)),
  );
}

async function runCase(scenario: Scenario, { link, revision, can }: Case): Promise<void> {
  const app = scenario.app();
  const serving: Serving = await link.serve(app, scenario.http);
  const wires: Wire[] = [];
  const join = async (client?: ClientOptions): Promise<Joined> => {
    const joined = await serving.join({ client, revision });
    wires.push(joined.wire);
    return joined;
  };
  try {
    const { client, wire } = await join(scenario.client?.());
    const isAlone = statelessRevisions.some(({ id }) => id === revision);
    await within(scenario.run({ client, wire, app, can, revision, isAlone, join }), scenario.title);
  } finally {
    await serving.close();
  }
  if (scenario.isOfficial !== false && skipSchemas === false) {
    for (const wire of wires) {
      assertOfficial(wire, revision);
    }
  }
}

/** Fails for the first message that the official schema of a revision refuses or has no words for. */
function assertOfficial(wire: Wire, revision: string): void {
  const schema = officialSchema(revision);
  const methods = new Map<string, string>();
  for (const { from, message } of wire.travelled) {
    if (message.method !== undefined && message.id !== undefined) {
      methods.set(`${from} ${JSON.stringify(message.id)}`, message.method);
    }
    const asker = from === "client" ? "server" : "client";
    const method = message.method ?? methods.get(`${asker} ${JSON.stringify(message.id)}`);
    assert.deepEqual(schema.faultsOf(message, method), [], `${from}: ${JSON.stringify(message)}`);
  }
}
