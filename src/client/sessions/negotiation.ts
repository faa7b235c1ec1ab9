/**
 * Finds out which revision a server speaks, on a link that has been started, with as little traffic as possible.
 *
 * Unless told otherwise it asks `server/discover` in the newest stateless revision, and goes on with `initialize` where
 * the answer is that of an older server. Opening and closing links is the caller's business.
 * Specification: Basic > Versioning > Backward compatibility.
 */
import { raceAbort } from "../../base/abort.ts";
import { createDeferred } from "../../base/deferred.ts";
import { isMcpError, TimeoutError } from "../../base/error.ts";
import type { Clock } from "../../base/timer.ts";
import type { Link } from "../../jsonrpc/link.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import { UnsupportedRevisionError } from "../../protocol/errors.ts";
import { latestHandshake, revisions } from "../../revision/registry.ts";
import type { Revision } from "../../revision/revision.ts";
import { encodeStateless } from "../requests/stateless-call.ts";
import { type Attempt, describeAttempts, withMessage } from "./attempts.ts";
import {
  assertDiscovery,
  discoverMethod,
  isModernRefusal,
  type RefusalMeaning,
  readDiscovery,
  readRefusalMeaning,
} from "./discovery.ts";
import { type Agreement, type ClientIdentity, shakeHands } from "./handshake.ts";

/** Which revisions may come out. */
export interface NegotiationPlan {
  /** The only one that is wanted. */
  readonly pinned?: Revision | undefined;
  /** The one that came out the last time, which is tried first [M-VER-009]. */
  readonly expected?: Revision | undefined;
  /** All that this side speaks, newest first. Default: all there are. */
  readonly spoken?: readonly Revision[] | undefined;
}

/** What is negotiated on, and who is told. */
export interface NegotiationHost {
  readonly identity: ClientIdentity;
  readonly clock: Clock;
  /** How long a pipe may stay silent before its server counts as older, in milliseconds. */
  readonly probeTimeoutMs: number;
  /** The link of the moment. */
  link(): Link;
  /** Whether that is a pipe, on which silence and an end can be the answer of an older server. */
  isPipe(): boolean;
  /** Starts another link in place of one that ended; `undefined` where there is none to be had. */
  readonly reopen: (() => Promise<void>) | undefined;
  /** Told of the revision that is spoken from now on, until another one is agreed on. */
  onTry(revision: Revision): void;
  /** Told what was agreed on. In a handshake the server is told afterwards. */
  onAgreed(agreement: Agreement): void;
}

/**
 * Agrees on a revision.
 *
 * @param signal - gives up
 * @throws {@link UnsupportedRevisionError} without a common one, naming both lists; the signal's reason; else the error
 * of the last attempt, whose message names the others
 */
export function negotiate(host: NegotiationHost, plan: NegotiationPlan, signal: AbortSignal): Promise<void> {
  return new Negotiation(host, plan, signal).run();
}

class Negotiation {
  readonly #host: NegotiationHost;
  readonly #plan: NegotiationPlan;
  readonly #spoken: readonly Revision[];
  readonly #signal: AbortSignal;
  readonly #attempts: Attempt[] = [];

  constructor(host: NegotiationHost, plan: NegotiationPlan, signal: AbortSignal) {
    this.#host = host;
    this.#plan = plan;
    this.#spoken = plan.spoken ?? revisions;
    this.#signal = signal;
  }

  async run(): Promise<void> {
    const { pinned, expected } = this.#plan;
    const newest = this.#spoken.find(isStateless) ?? latestHandshake;
    const first = pinned ?? expected ?? newest;
    try {
      if (isStateless(first)) {
        await this.#discover(first);
      } else if (pinned !== undefined || !(await this.#tryExpected(first))) {
        await (pinned === undefined && isStateless(newest) ? this.#discover(newest) : this.#shakeHands(first));
      }
    } catch (error) {
      // The caller's own reason to stop is given back untouched; that time was over is an outcome like any other.
      throw this.#signal.aborted && !isConnectTimeout(error) ? error : describeAttempts(error, this.#attempts);
    }
  }

  /** Whether `initialize` still works. A server that no longer takes it has become another one since. */
  async #tryExpected(expected: Revision): Promise<boolean> {
    try {
      await this.#shakeHands(expected);
      return true;
    } catch (error) {
      const { kind } = readRefusalMeaning(error, this.#host.isPipe());
      if (this.#signal.aborted || (kind === "unrelated" && !isModernRefusal(error))) {
        throw error;
      }
      this.#attempts.push({ method: "initialize", revision: expected, error });
      return false;
    }
  }

  async #discover(revision: Revision): Promise<void> {
    this.#host.onTry(revision);
    let result: JsonObject;
    let supported: readonly string[];
    try {
      result = await this.#ask(revision);
      supported = assertDiscovery(result).supportedVersions;
    } catch (error) {
      await this.#goOn(revision, error);
      return;
    }
    const chosen = supported.includes(revision.id) ? revision : this.#choose(supported, revision);
    if (isStateless(chosen)) {
      this.#host.onAgreed(readDiscovery(result, chosen));
    } else {
      await this.#shakeHands(chosen);
    }
  }

  /** After a refusal: with another revision, with `initialize`, or not at all. */
  async #goOn(revision: Revision, error: unknown): Promise<void> {
    const meaning = this.#signal.aborted ? ({ kind: "unrelated" } as const) : await this.#interpret(error);
    if (meaning.kind === "unrelated") {
      throw error;
    }
    if (meaning.kind === "other-revision") {
      const chosen = this.#choose(meaning.supported, revision, error);
      this.#attempts.push({ method: discoverMethod, revision, error });
      await (isStateless(chosen) ? this.#discover(chosen) : this.#shakeHands(chosen));
      return;
    }
    if (this.#plan.pinned !== undefined) {
      throw describeOlder(error, revision);
    }
    this.#attempts.push({ method: discoverMethod, revision, error });
    if (!this.#attempts.some(({ method }) => method === "initialize")) {
      const offered = this.#spoken.find((each) => !isStateless(each)) ?? latestHandshake;
      await (error instanceof ProbeSilence ? this.#shakeHandsAfterSilence(offered) : this.#shakeHands(offered));
      return;
    }
    this.#attempts.pop();
    throw error;
  }

  /** On a pipe, silence is an answer too, and so is the end of a program that does not stand unknown requests. */
  async #interpret(error: unknown): Promise<RefusalMeaning> {
    const { reopen } = this.#host;
    const isEnd = isMcpError(error) && error.code === "MCP_CLOSED" && this.#host.isPipe();
    if (isEnd && reopen !== undefined && this.#plan.pinned === undefined) {
      await reopen();
      return { kind: "older" };
    }
    return error instanceof ProbeSilence ? { kind: "older" } : readRefusalMeaning(error, this.#host.isPipe());
  }

  /**
   * Asks. A pipe is not told that nobody waits any more, as older servers may not stand that either; what it answers
   * after that is dropped with the request [M-VER-014].
   */
  async #ask(revision: Revision): Promise<JsonObject> {
    const { identity, clock, probeTimeoutMs } = this.#host;
    const call = encodeStateless({ method: discoverMethod }, revision, identity);
    const link = this.#host.link();
    if (!this.#host.isPipe() || this.#plan.pinned !== undefined) {
      return revision.decodeResult(discoverMethod, await link.request(call, { signal: this.#signal }));
    }
    const silence = createDeferred<never>();
    const stop = clock.after(probeTimeoutMs, () => silence.reject(new ProbeSilence(probeTimeoutMs)));
    try {
      const answer = await raceAbort(Promise.race([link.request(call), silence.promise]), this.#signal);
      return revision.decodeResult(discoverMethod, answer);
    } finally {
      stop();
    }
  }

  /** A program that started slowly may read the question only now, and end because of it: then it is started anew. */
  async #shakeHandsAfterSilence(revision: Revision): Promise<void> {
    const { reopen } = this.#host;
    try {
      await this.#shakeHands(revision);
    } catch (error) {
      const hasEnded = isMcpError(error) && error.code === "MCP_CLOSED";
      if (!hasEnded || reopen === undefined || this.#signal.aborted) {
        throw error;
      }
      await reopen();
      await this.#shakeHands(revision);
    }
  }

  async #shakeHands(revision: Revision): Promise<void> {
    const { identity } = this.#host;
    this.#host.onTry(revision);
    const agree = (agreement: Agreement): void => this.#host.onAgreed(agreement);
    await shakeHands(this.#host.link(), identity, revision, agree, this.#signal);
  }

  /**
   * The newest revision that both speak: a stateless one if there is one, else one that begins with `initialize`.
   *
   * @param refused - what the server was just asked in: asked once more where it is all that the server lists
   * @throws {@link UnsupportedRevisionError} [M-VER-002]
   */
  #choose(supported: readonly string[], refused: Revision, cause?: unknown): Revision {
    const { pinned } = this.#plan;
    const tried = this.#attempts.map(({ revision }) => revision);
    const own = pinned === undefined ? this.#spoken : [pinned];
    const common = own.filter((each) => supported.includes(each.id) && !tried.includes(each));
    const others = common.filter((each) => each !== refused);
    const again = tried.length === 0 ? common[0] : undefined;
    const chosen = others.find(isStateless) ?? others[0] ?? again;
    if (chosen === undefined) {
      const requested = own.map(({ id }) => id);
      const data = { requested: requested.join(", "), supported };
      throw new UnsupportedRevisionError(data.requested, supported, { data, remote: true, cause });
    }
    return chosen;
  }
}

/** Nothing came. A class of its own, as it never leaves this file but as the text of an attempt. */
class ProbeSilence extends TimeoutError {
  constructor(timeoutMs: number) {
    super(`no answer after ${timeoutMs} ms`, { limit: "idle", timeoutMs });
  }
}

function isStateless(revision: Revision): boolean {
  return revision.lifecycle === "stateless";
}

/** An older server, where that will not do [M-VER-019]. */
function describeOlder(error: unknown, { id }: Revision): unknown {
  if (!isMcpError(error)) {
    return error;
  }
  const hint = `the server speaks a revision older than ${id}: leave revision out, or name an older one`;
  return withMessage(error, `${discoverMethod}: ${error.message}; ${hint}`, error);
}

function isConnectTimeout(error: unknown): boolean {
  return error instanceof TimeoutError && error.limit === "connect";
}
