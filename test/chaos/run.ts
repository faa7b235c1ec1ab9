// Three server processes behind a round-robin proxy, their state in one Redis, and clients of two makers, while nodes are
// killed and drained, connections are cut, and Redis is restarted once. Run by `npm run chaos [-- --minutes 10]`.
//
// Every call has to end: with its answer, or with an error that says so, and not twice. A call that only ends because its
// client got tired of waiting counts as lost.

import { parseArgs } from "node:util";
import { RedisServer } from "../fixtures/redis-server.ts";
import { Ledger } from "./ledger.ts";
import { NodeFleet } from "./node-fleet.ts";
import { openOfficialClient } from "./official-client.ts";
import { openOwnClient } from "./own-client.ts";
import { type ChaosClient, Player } from "./player.ts";
import { RoundRobin } from "./round-robin.ts";

const nodes = 3;
/** How many calls each client has open at a time. */
const lanes = 4;
const ownRevisions = ["2025-11-25", "2025-11-25", "2025-11-25", "2025-06-18", "2025-03-26", "2026-07-28"];
const officialClients = 4;
const redisDownMs = 1_500;
/** How long a client tries to connect, in milliseconds: processes that have just begun may be slow on a busy machine. */
const connectingMs = 60_000;
/** How long calls get to end when no more are made, in milliseconds: more than any client waits. */
const endingMs = 75_000;

const say = (text: string): void => void process.stdout.write(`${text}\n`);
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const place = (): number => Math.floor(Math.random() * nodes);

/** Kills, drains, cuts and restarts until the time is over. */
async function disturb(fleet: NodeFleet, proxy: RoundRobin, redis: RedisServer, untilMs: number): Promise<void> {
  const startedAt = Date.now();
  const every = async (averageMs: number, act: () => Promise<void> | void): Promise<void> => {
    for (;;) {
      await pause(averageMs * (0.5 + Math.random()));
      if (Date.now() >= untilMs) {
        return;
      }
      await act();
    }
  };
  const restart = async (): Promise<void> => {
    await pause((untilMs - startedAt) / 2);
    await redis.halt("SIGKILL");
    await pause(redisDownMs);
    await redis.start();
  };
  let turn = 0;
  await Promise.all([
    every(4_000, () => {
      turn += 1;
      return turn % 3 === 0 ? fleet.drain(place()) : fleet.kill(place());
    }),
    every(400, () => proxy.cut()),
    restart(),
  ]);
}

/** Connects, however long the processes take to be there: only what comes after that is judged. */
async function persist(open: () => Promise<ChaosClient>): Promise<ChaosClient> {
  const untilMs = Date.now() + connectingMs;
  for (;;) {
    try {
      return await open();
    } catch (error) {
      if (Date.now() > untilMs) {
        throw error;
      }
      await pause(500);
    }
  }
}

/** Clients by name. */
async function openAll(url: string, ledger: Ledger): Promise<ReadonlyMap<string, ChaosClient>> {
  const openings = new Map([
    ...ownRevisions.map((revision, index) => [`own${index}`, () => openOwnClient(url, revision, ledger)] as const),
    ...Array.from({ length: officialClients }, (_, index) => {
      return [`official${index}`, () => openOfficialClient(url, ledger)] as const;
    }),
  ]);
  const opened = [...openings].map(async ([name, open]) => [name, await persist(open)] as const);
  return new Map(await Promise.all(opened));
}

function report(ledger: Ledger, fleet: NodeFleet, proxy: RoundRobin): void {
  const { kinds, questions, progress, heard, unheard } = ledger;
  say(`${nodes} nodes, ${proxy.requests} HTTP requests`);
  say(`  nodes killed ${fleet.kills}, drained ${fleet.drains}; connections cut ${proxy.cuts}; Redis restarted once`);
  say(`  questions answered ${questions}, progress heard ${progress}, changes heard ${heard}, unheard ${unheard}`);
  for (const [kind, count] of [...kinds].sort((one, other) => other[1] - one[1]).slice(0, 12)) {
    say(`  ${count} x ${kind}`);
  }
  say("  reported by the nodes:");
  for (const line of fleet.reports.slice(0, 12)) {
    say(`    ${line}`);
  }
  const { made, answered, errors, lost, doubled, crossed } = ledger;
  say(
    `chaos: ${made} calls made, ${answered} answered, ${errors} answered with an explicit error, ${lost.length} lost, ` +
      `${doubled} doubled, ${crossed} crossed; ${unheard} changes unheard`,
  );
}

function findProblems(ledger: Ledger, fleet: NodeFleet, seconds: number): string[] {
  const { made, answered, lost, doubled, crossed, unheard, questions } = ledger;
  return [
    ...fleet.failures,
    ...(made >= seconds * 10 ? [] : [`expected at least ${seconds * 10} calls, got ${made}`]),
    ...(answered >= made * 0.8 ? [] : [`expected four calls of five to be answered, got ${answered} of ${made}`]),
    ...(questions > 0 ? [] : ["nobody was asked anything"]),
    ...lost.map((call) => `lost: ${call}`),
    ...(doubled === 0 ? [] : [`${doubled} answers came twice`]),
    ...(crossed === 0 ? [] : [`${crossed} answers belonged to other calls`]),
    ...(unheard === 0 ? [] : [`${unheard} changes were never heard of`]),
  ];
}

/** What is wrong with the run; nothing where nothing is. */
async function run(seconds: number): Promise<string[]> {
  const redis = await RedisServer.start();
  const fleet = new NodeFleet(redis.url, "chaos:");
  const proxy = await RoundRobin.start(() => fleet.ports);
  const ledger = new Ledger();
  try {
    await fleet.start(nodes);
    const clients = await openAll(proxy.url, ledger);
    const ending = new AbortController();
    const players = [...clients].map(([name, client]) => new Player(name, client, ledger));
    const playing = Promise.all(players.map((player) => player.play(lanes, ending.signal)));
    await disturb(fleet, proxy, redis, Date.now() + seconds * 1_000);
    ending.abort();
    await Promise.race([playing, pause(endingMs)]);
    ledger.close();
    report(ledger, fleet, proxy);
    return findProblems(ledger, fleet, seconds);
  } finally {
    await fleet.stop();
    await proxy.stop();
    await redis.remove();
  }
}

// The official client leaves some failures of its own to nobody; ours must leave none.
const strays: unknown[] = [];
process.on("unhandledRejection", (reason) => strays.push(reason));

const { values } = parseArgs({ options: { minutes: { type: "string", default: "1" } } });
const seconds = Number(values.minutes) * 60;
if (!(seconds >= 20)) {
  throw new Error(`--minutes: expected a number of at least 0.34, got ${values.minutes}`);
}
const problems = await run(seconds);
const own = strays.filter((stray) => !(stray instanceof Error && stray.stack?.includes("@modelcontextprotocol/sdk")));
problems.push(...own.map((stray) => `nobody took care of: ${String(stray)}`));
for (const problem of problems) {
  say(`  ${problem}`);
}
process.exit(problems.length === 0 ? 0 : 1);
