// Eight processes share one file of logins at a real authorization server: access tokens of five seconds, refresh tokens that
// are good once, and a grant that is lost when one is used twice. Run by `npm run endurance [-- --minutes 10]`.
//
// First nobody is killed: there must be one login, no failure, and no refresh token presented twice. Then processes are
// killed and started again: a grant may be lost only where a process was killed between sending a refresh token and having
// kept what came of it, which is what the processes tell of, before and after.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Fleet } from "./fleet.ts";
import { type Counts, Place, tokenSeconds } from "./place.ts";

const processes = Array.from({ length: 8 }, (_, index) => index + 1);
/** How long processes are killed and how often, and how long the others get afterwards, in milliseconds. */
const killingMs = 60_000;
const killEveryMs = 4_000;
const recoveryMs = 20_000;
/** How long a refresh takes at most until its outcome is kept, about, in milliseconds. */
const maxFlightMs = 20;

const say = (text: string): void => void process.stdout.write(`${text}\n`);
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** What a phase has come to. */
interface Outcome {
  readonly fleet: Fleet;
  readonly counts: Counts;
}

/** A place, a fleet that works there for a while, and what came of it. */
async function run(work: (fleet: Fleet, place: Place) => Promise<void>): Promise<Outcome> {
  const place = await Place.start();
  const folder = mkdtempSync(join(tmpdir(), "parley-endurance-"));
  const fleet = new Fleet(place.url, join(folder, "logins", "credentials.json"));
  for (const number of processes) {
    fleet.start(number);
  }
  await work(fleet, place);
  await fleet.stop();
  const { counts } = place;
  await place.close();
  rmSync(folder, { recursive: true, force: true });
  return { fleet, counts };
}

/**
 * Kills a process every few seconds: at any moment, or, because that hardly ever hits one that is at it, just after it sent a
 * refresh token. That only once tokens have been granted since the last time, so that what was broken can come right.
 */
async function killAbout(fleet: Fleet, place: Place): Promise<void> {
  const untilMs = Date.now() + killingMs;
  const granted = (): number => place.counts.logins + place.counts.refreshes;
  let [isAimed, grantedBefore] = [true, granted()];
  while (Date.now() < untilMs) {
    await pause(killEveryMs * (0.5 + Math.random()));
    isAimed = !isAimed && granted() > grantedBefore;
    const aimed = isAimed ? await fleet.next("refresh", AbortSignal.timeout(2 * tokenSeconds * 1_000)) : undefined;
    if (aimed !== undefined) {
      grantedBefore = granted() + 1;
      await pause(Math.random() * maxFlightMs);
    }
    await fleet.replace(aimed ?? String(processes[Math.floor(Math.random() * processes.length)]));
  }
  // The turn of a killed process is over after 15 s; then the others have to go on.
  await pause(recoveryMs);
}

function report(title: string, { fleet, counts }: Outcome): void {
  const { calls, logins, refreshes, refused, reuses, unauthorized, pages, registrations } = counts;
  const each = [...calls].sort().map(([name, count]) => `${name}: ${count}`);
  say(title);
  say(`  calls answered by the server: ${sum(calls)} (${each.join(", ")}); the slowest took ${fleet.slowestMs} ms`);
  say(`  requests for tokens: ${logins} logins, ${refreshes} refreshes, ${refused} refused`);
  say(`  refresh tokens presented twice: ${reuses}; tokens that had just ended: ${unauthorized}`);
  say(`  pages opened: ${pages}; registrations: ${registrations}; logins after the first: ${logins - 1}`);
  say(
    `  failures: ${fleet.failures.length}${fleet.failures
      .slice(0, 10)
      .map((text) => `\n    ${text}`)
      .join("")}`,
  );
}

const sum = (counts: ReadonlyMap<string, number>): number => [...counts.values()].reduce((all, n) => all + n, 0);

/** What is wrong with the first phase. */
function checkSharing({ fleet, counts }: Outcome, seconds: number): string[] {
  const idle = processes.filter((number) => (counts.calls.get(String(number)) ?? 0) === 0);
  const enough = Math.floor(seconds / tokenSeconds / 1.5);
  return [
    ...(fleet.failures.length > 0 ? ["calls failed"] : []),
    ...(counts.logins === 1 ? [] : [`expected one login, got ${counts.logins}`]),
    ...(counts.refused === 0 && counts.reuses === 0 ? [] : ["requests for tokens were refused"]),
    ...(counts.refreshes >= enough ? [] : [`expected at least ${enough} refreshes, got ${counts.refreshes}`]),
    ...(idle.length === 0 ? [] : [`processes that never called: ${idle.join(", ")}`]),
    ...(sum(fleet.calls) === sum(counts.calls) ? [] : [`the processes count ${sum(fleet.calls)} answers`]),
  ];
}

/** What is wrong with the second one. */
function checkKilling({ fleet, counts }: Outcome): string[] {
  const cut = fleet.kills.filter(({ cutRefresh }) => cutRefresh).length;
  const lost = counts.logins - 1;
  return [
    ...(fleet.failures.length > 0 ? ["calls failed in processes that were not killed"] : []),
    ...(lost > cut ? [`${lost} grants were lost, but only ${cut} refreshes were cut off`] : []),
    ...(counts.reuses > cut ? [`${counts.reuses} refresh tokens were presented twice, but only ${cut} cut off`] : []),
  ];
}

const { values } = parseArgs({ options: { minutes: { type: "string", default: "2" } } });
const seconds = Number(values.minutes) * 60;
if (!(seconds >= 30)) {
  throw new Error(`--minutes: expected a number of at least 0.5, got ${values.minutes}`);
}

const sharing = await run(() => pause(seconds * 1_000));
report(`sharing: ${processes.length} processes for ${seconds} s, access tokens of ${tokenSeconds} s`, sharing);
const killing = await run(killAbout);
const { kills } = killing.fleet;
report(`killing: ${processes.length} processes, of which ${kills.length} were killed and started again`, killing);
say(
  `  killed between sending a refresh token and keeping another: ${kills.filter(({ cutRefresh }) => cutRefresh).length}`,
);

const problems = [...checkSharing(sharing, seconds), ...checkKilling(killing)];
for (const problem of problems) {
  say(`  ${problem}`);
}
const { counts } = sharing;
say(
  `endurance: ${problems.length === 0 ? "passed" : "FAILED"}, ${sum(counts.calls)} calls, ${counts.refreshes} refreshes, ${counts.logins - 1} logins after the first`,
);
process.exitCode = problems.length === 0 ? 0 : 1;
