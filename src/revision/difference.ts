/**
 * A revision stated as its difference from the one before, and the building of all revisions from such statements.
 *
 * A message goes to an older peer through the `downgrade` of every later revision, newest first; what an older peer
 * sends comes in through the `upgrade` of every later revision, oldest first.
 */
import type { JsonObject } from "../jsonrpc/message.ts";
import type { Receiver, Revision, RevisionTraits } from "./revision.ts";
import { chain, type Step } from "./shape.ts";

/** Steps by method. */
export type Steps = { readonly [method: string]: Step };

/** Steps for what travels in requests and notifications, and for what comes back. */
export interface Rewrites {
  readonly params?: Steps;
  readonly results?: Steps;
  /** For the results of all methods, before those of the method itself. */
  readonly everyResult?: Step;
}

/** What one revision changed. */
export interface Difference {
  readonly id: string;
  readonly lifecycle?: Revision["lifecycle"];
  /** Traits that changed; the first revision states all. */
  readonly traits: Partial<RevisionTraits>;
  /** Methods that came, by who receives them. */
  readonly adds?: { readonly [R in Receiver]?: readonly string[] };
  /** Methods that went. */
  readonly removes?: { readonly [R in Receiver]?: readonly string[] };
  /** What must be on every message from this revision on, whoever made it. */
  readonly stamp?: Rewrites;
  /** From this revision to the one before. */
  readonly downgrade?: Rewrites;
  /** From the one before to this revision. */
  readonly upgrade?: Rewrites;
  /** JSON-RPC codes that changed, by the stable code of the error. */
  readonly errorCodes?: { readonly [code: string]: number };
}

/** Rewrites of one direction, put together from several revisions. */
interface Collected {
  readonly params: ReadonlyMap<string, Step>;
  readonly results: ReadonlyMap<string, Step>;
  readonly everyResult: Step | undefined;
}

/** Builds revisions from differences, oldest first; so is the result. */
export function createRevisions(
  base: RevisionTraits,
  differences: readonly Difference[],
): readonly [Revision, ...Revision[]] {
  let traits = base;
  let lifecycle: Revision["lifecycle"] = "handshake";
  let errorCodes: { readonly [code: string]: number } = {};
  const methods = { server: new Set<string>(), client: new Set<string>() };
  const revisions = differences.map((difference, index): Revision => {
    traits = { ...traits, ...difference.traits };
    lifecycle = difference.lifecycle ?? lifecycle;
    errorCodes = { ...errorCodes, ...difference.errorCodes };
    for (const receiver of ["server", "client"] as const) {
      const kept = [...methods[receiver]].filter((method) => !difference.removes?.[receiver]?.includes(method));
      methods[receiver] = new Set([...kept, ...(difference.adds?.[receiver] ?? [])]);
    }
    const later = differences.slice(index + 1);
    const stamps = differences.slice(0, index + 1).map(({ stamp }) => stamp);
    return createRevision({
      id: difference.id,
      lifecycle,
      traits,
      methods: { ...methods },
      errorCodes,
      encode: collect([...[...later].reverse().map(({ downgrade }) => downgrade), ...stamps]),
      decode: collect(later.map(({ upgrade }) => upgrade)),
    });
  });
  return revisions as [Revision, ...Revision[]];
}

interface Parts extends Pick<Revision, "id" | "lifecycle" | "traits"> {
  readonly methods: { readonly [R in Receiver]: ReadonlySet<string> };
  readonly errorCodes: { readonly [code: string]: number };
  readonly encode: Collected;
  readonly decode: Collected;
}

function createRevision({ id, lifecycle, traits, methods, errorCodes, encode, decode }: Parts): Revision {
  return {
    id,
    lifecycle,
    traits,
    has: (method, receiver) => methods[receiver].has(method),
    encodeParams: (method, params) => (params === undefined ? params : (encode.params.get(method)?.(params) ?? params)),
    decodeParams: (method, params) => (params === undefined ? params : (decode.params.get(method)?.(params) ?? params)),
    encodeResult: (method, result) => rewriteResult(encode, method, result),
    decodeResult: (method, result) => rewriteResult(decode, method, result),
    encodeError: ({ code, rpcCode, message, data }) => ({
      code: errorCodes[code] ?? rpcCode,
      message,
      ...(data === undefined ? undefined : { data }),
    }),
  };
}

function collect(rewrites: readonly (Rewrites | undefined)[]): Collected {
  const params = new Map<string, Step>();
  const results = new Map<string, Step>();
  let everyResult: Step | undefined;
  for (const rewrite of rewrites) {
    append(params, rewrite?.params);
    append(results, rewrite?.results);
    everyResult = follow(everyResult, rewrite?.everyResult);
  }
  return { params, results, everyResult };
}

function append(steps: Map<string, Step>, more: Steps = {}): void {
  for (const [method, step] of Object.entries(more)) {
    steps.set(method, follow(steps.get(method), step) ?? step);
  }
}

function follow(first: Step | undefined, second: Step | undefined): Step | undefined {
  return first === undefined || second === undefined ? (second ?? first) : chain(first, second);
}

function rewriteResult({ results, everyResult }: Collected, method: string, result: JsonObject): JsonObject {
  const common = everyResult?.(result) ?? result;
  return results.get(method)?.(common) ?? common;
}
