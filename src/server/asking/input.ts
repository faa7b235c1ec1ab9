/**
 * Asking the client, for whoever does: may it be asked, can an answer come back, is the answer what it must be.
 *
 * What cannot be asked fails here, at once, with nothing sent. What exactly is asked is in elicit.ts, sample.ts
 * and roots.ts.
 */
import { linkSignals } from "../../base/abort.ts";
import { type McpError, PeerError, UsageError } from "../../base/error.ts";
import type { Call } from "../../jsonrpc/link.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import { capabilityPaths, missingClientCapabilities, requiredClientCapability } from "../../protocol/capabilities.ts";
import { MissingCapabilityError } from "../../protocol/errors.ts";
import { type ClientRequests, isClientRequest } from "../../protocol/methods.ts";
import type { Outgoing, Send } from "../../protocol/outgoing.ts";
import { checkResult } from "../../protocol/results.ts";
import type { ClientCapabilities } from "../../protocol/types/lifecycle.ts";
import type { Revision } from "../../revision/revision.ts";
import type { QuestionOptions } from "../requests/context.ts";
import type { ServerSession } from "../sessions/session.ts";
import { askingMethods, type InputRounds } from "./input-rounds.ts";
import { questionKey } from "./question-key.ts";
import type { RootsCache } from "./roots-cache.ts";

/** Limits of every question to a person [PP-037]. */
export const humanTimeouts = { idleTimeoutMs: Number.POSITIVE_INFINITY, totalTimeoutMs: 3_600_000 } as const;

/** A session whose client can be asked. */
export interface Askable extends ServerSession {
  /** Its requests that wait for an answer. */
  readonly outgoing: Outgoing;
  readonly roots: RootsCache;
  /** Resolves once the client may be asked [LIFE-008]. */
  whenInitialized(signal: AbortSignal | undefined): Promise<void>;
}

/** Where a question goes, and what it belongs to. */
export interface AskTarget {
  /** The session whose client is asked; `undefined` where a request stands for itself. */
  readonly live: Askable | undefined;
  readonly revision: Revision | undefined;
  /** What the client can do, as far as this message may know. */
  readonly capabilities: ClientCapabilities;
  /** Where questions go when the revision has no requests to clients; only some requests may be answered with them. */
  readonly rounds: InputRounds | undefined;
  /** The task that the question belongs to: it is asked by way of that, whenever the client comes for it. */
  readonly task?: TaskTarget | undefined;
  /** Aborts the question together with what it belongs to. */
  readonly signal: AbortSignal;
  readonly send: Send;
}

/** A task that asks. */
export interface TaskTarget {
  /** @param kind - names the question, the same in every run of the work */
  ask(call: Call, kind: string, signal: AbortSignal | undefined): Promise<JsonObject>;
}

/**
 * Fails unless the client may be asked this.
 *
 * @throws MissingCapabilityError naming the capability, or the missing way back, and what to do instead
 * @throws UsageError where the revision lets nobody be asked in the course of this request
 */
export function assertAskable(target: AskTarget, { method, params }: Call): void {
  const { live, revision, capabilities } = target;
  const required = requiredClientCapability(method, params) ?? {};
  const first = capabilityPaths(required)[0] ?? method;
  if (target.task !== undefined) {
    assertInTask(target, method);
  } else if (revision !== undefined && !revision.traits.serverRequests) {
    assertInRounds(target, method);
  } else if (live === undefined || revision === undefined) {
    throw new MissingCapabilityError(
      first,
      `${method}: the client cannot be asked, because this request belongs to no session and an answer has no way ` +
        "back; serve with sessions, or take what you need as an argument",
    );
  } else if (Object.keys(required).length > 0 && method !== "ping" && !revision.has(method, "client")) {
    throw lacking(method, required, undefined);
  }
  const missing = missingClientCapabilities(required, capabilities);
  if (missing !== undefined) {
    throw lacking(method, missing, revision);
  }
}

/** Questions travel inside results, so only those that results have words for can be asked [M-MRTR-002, M-MRTR-003]. */
function assertInRounds({ rounds }: AskTarget, method: string): void {
  if (rounds === undefined) {
    const allowed = [...askingMethods].join(", ");
    throw new UsageError(`${method}: the client can be asked in the course of ${allowed}, and this request is another`);
  }
  if (!isClientRequest(method) || requiredClientCapability(method) === undefined) {
    throw new UsageError(
      `${method}: this client takes questions to its user, its model and about its roots, no others`,
    );
  }
}

/** Whoever comes for the questions of a task has handlers for those the protocol knows. */
function assertInTask({ revision }: AskTarget, method: string): void {
  const isKnown = isClientRequest(method) && requiredClientCapability(method) !== undefined;
  if (!isKnown || (revision?.traits.serverRequests === true && !revision.has(method, "client"))) {
    throw new UsageError(
      `${method}: a task takes questions to the client's user, its model and about its roots, no others`,
    );
  }
}

/** The error for a client that did not declare something; where requests stand alone it says so to the client [M-ERR-008]. */
function lacking(method: string, missing: ClientCapabilities, revision: Revision | undefined): MissingCapabilityError {
  const paths = capabilityPaths(missing);
  const data = revision?.lifecycle === "stateless" ? { data: { requiredCapabilities: missing } } : {};
  return new MissingCapabilityError(
    paths[0] ?? method,
    `${method}: expected a client that declares ${paths.join(" and ")}, which this one did not; ` +
      "check ctx.client.capabilities first, or take what you need as an argument",
    data,
  );
}

/** What to throw for an answer that has its shape and does not fit its question. */
export function toAnswerError({ rounds }: AskTarget, problem: string): McpError {
  return rounds?.refuse(problem) ?? new PeerError(problem);
}

/**
 * Asks, and gives the answer as it came, put into the neutral form.
 *
 * @throws MissingCapabilityError before anything is sent; TimeoutError; RpcError with what the client answered;
 *   Suspension where the answer comes with a later request
 */
export async function askRaw(target: AskTarget, call: Call, options: QuestionOptions): Promise<JsonObject> {
  assertAskable(target, call);
  const { live, revision, rounds, task, send } = target;
  if (task !== undefined && revision !== undefined) {
    const question = { method: call.method, params: revision.encodeParams(call.method, call.params) };
    const answer = await task.ask(question, options.key ?? questionKey(question), options.signal);
    return revision.decodeResult(call.method, answer);
  }
  if (rounds !== undefined && revision !== undefined) {
    options.signal?.throwIfAborted();
    const question = { method: call.method, params: revision.encodeParams(call.method, call.params) };
    const answer = await rounds.ask(question, options.key);
    return revision.decodeResult(call.method, answer);
  }
  if (live === undefined || revision === undefined) {
    throw new MissingCapabilityError(call.method, `${call.method}: there is no session to ask in`);
  }
  const { method } = call;
  const wire = { method, params: revision.encodeParams(method, call.params) };
  const linked = linkSignals(target.signal, options.signal);
  try {
    const result = await live.outgoing.request(
      async (tokened, linkOptions) => {
        if (method !== "ping") {
          await live.whenInitialized(linkOptions.signal);
        }
        return send(tokened, linkOptions);
      },
      wire,
      { ...options, signal: linked.signal },
    );
    return revision.decodeResult(method, result);
  } finally {
    linked.release();
  }
}

/**
 * Asks, and checks that the answer has its shape.
 *
 * @throws as {@link askRaw}, and PeerError for a malformed answer
 */
export async function ask<Method extends keyof ClientRequests>(
  target: AskTarget,
  method: Method,
  params: ClientRequests[Method]["params"] | undefined,
  options: QuestionOptions,
): Promise<ClientRequests[Method]["result"]> {
  const result = await askRaw(target, { method, params: params as JsonObject | undefined }, options);
  const problem = checkResult(method, result);
  if (problem !== undefined) {
    throw new PeerError(`${method}: ${problem}`);
  }
  return result as ClientRequests[Method]["result"];
}
