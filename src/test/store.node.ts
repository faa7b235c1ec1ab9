/**
 * Entry "./test/store": what a store promises, as tests for node's test runner. A backend of one's own proves itself with
 * them.
 */
import { describe, it } from "node:test";
import type { KeyValue, Store } from "../store/contracts.ts";
import {
  type BusLimits,
  describeBus,
  describeBusyListeners,
  describeCuts,
  describeListeners,
} from "./store/bus.node.ts";
import { assertUnavailable, describeClosing } from "./store/closing.node.ts";
import { describeExpiry } from "./store/expiry.node.ts";
import { describeLogAge, describeLogEnds, describeLogLimits } from "./store/log-limits.node.ts";
import { describeLogContents, describeLogs } from "./store/logs.node.ts";
import type { Opened, SuiteLimits } from "./store/opened.ts";
import { type Promised, registerFor } from "./store/promised.node.ts";
import { describeKeys, describeValues } from "./store/values.node.ts";
import { describeRaces, describeVersions } from "./store/versions.node.ts";

/** A {@link KeyValue} that is empty, and how a test reaches around it. */
export type OpenedKeyValue = Opened<KeyValue>;

/** A {@link Store} that is empty, and how a test reaches around it. */
export type OpenedStore = Opened<Store>;

/** What differs from one {@link KeyValue} to another. */
export type KeyValueSuiteOptions = SuiteLimits;

/** What differs from one {@link Store} to another. */
export interface StoreSuiteOptions extends KeyValueSuiteOptions, BusLimits {
  /** Opens a store whose place cannot be reached, such as one at a closed port. Default: none, and that is not proved. */
  readonly openUnreachable?: (() => Promise<Store> | Store) | undefined;
}

/**
 * Registers a test for every promise of {@link KeyValue}: for backends that are nothing else, such as a keychain.
 *
 * Each test opens a store of its own. Several run at once where time has to be waited for, so they must not share a place.
 *
 * @param name - of the backend, in the title
 * @param open - opens an empty store; called once for each test, and what it gives is closed after it
 * @param options - lengths and times the backend is up to
 * @example
 * ```ts
 * import { createMemoryStore } from "parley-mcp/store";
 * import { createFakeClock } from "parley-mcp/test";
 * import { describeKeyValue } from "parley-mcp/test/store";
 *
 * describeKeyValue("values in memory", () => {
 *   const clock = createFakeClock();
 *   const store = createMemoryStore({ clock });
 *   return { store, advance: (ms) => clock.advance(ms), close: () => store.close() };
 * });
 * ```
 */
export function describeKeyValue(
  name: string,
  open: () => Promise<OpenedKeyValue> | OpenedKeyValue,
  options: KeyValueSuiteOptions = {},
): void {
  describe(`${name} as a KeyValue`, () => {
    registerValues(registerFor(open, options), options);
  });
}

/**
 * Registers a test for every promise of {@link Store}: values, logs, messages, and the end of it.
 *
 * Give a second store over the same place as `other` where processes can share it: order, races and messages are then
 * proved across the two. Each test opens a store of its own. Several run at once where time has to be waited for, so they
 * must not share a place: use a prefix, a file or a database for each.
 *
 * @param name - of the backend, in the title
 * @param open - opens an empty store; called once for each test, and what it gives is closed after it
 * @param options - lengths and times the backend is up to
 * @example
 * ```ts
 * import { createMemoryStore } from "parley-mcp/store";
 * import { createFakeClock } from "parley-mcp/test";
 * import { describeStore } from "parley-mcp/test/store";
 *
 * describeStore("a store in memory", () => {
 *   const clock = createFakeClock();
 *   const store = createMemoryStore({ clock });
 *   return { store, advance: (ms) => clock.advance(ms), close: () => store.close() };
 * });
 * ```
 */
export function describeStore(
  name: string,
  open: () => Promise<OpenedStore> | OpenedStore,
  options: StoreSuiteOptions = {},
): void {
  const promise = registerFor(open, options);
  describe(`${name} as a KeyValue`, () => {
    registerValues(promise, options);
  });
  describe(`${name} as a Log`, () => {
    describeLogs(promise);
    describeLogContents(promise, options);
    describeLogLimits(promise);
    describe("and age", atOnce, () => describeLogAge(promise));
    describeLogEnds(promise);
  });
  describe(`${name} as a Bus`, () => {
    describeBus(promise);
    describeListeners(promise, options);
    describeBusyListeners(promise);
    describeCuts(promise);
  });
  describe(`${name} and its end`, () => {
    describeClosing(promise);
    describeUnreachable(options.openUnreachable);
  });
}

/** Tests that wait do so side by side. */
const atOnce = { concurrency: 8 };

function registerValues(promise: Promised<KeyValue>, options: KeyValueSuiteOptions): void {
  describeValues(promise, options);
  describeKeys(promise);
  describeVersions(promise);
  describeRaces(promise, options);
  describe("and expiry", atOnce, () => describeExpiry(promise));
}

function describeUnreachable(open: StoreSuiteOptions["openUnreachable"]): void {
  if (open === undefined) {
    return;
  }
  it("rejects every call while its place cannot be reached, never answers, and can be closed", async () => {
    const store = await open();
    try {
      await assertUnavailable(store);
    } finally {
      await store.close();
    }
  });
}
