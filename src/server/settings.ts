/** The options of a server with every question answered, as its parts read them. What they mean is options.ts. */
import type { OnDiagnostic } from "../base/diagnostic.ts";
import { UsageError } from "../base/error.ts";
import { isObject } from "../base/json.ts";
import { type Clock, systemClock } from "../base/timer.ts";
import { findMismatch } from "../protocol/check.ts";
import { implementation } from "../protocol/checks/metadata.ts";
import { parseMetaKey } from "../protocol/meta-key.ts";
import type { OutgoingOptions } from "../protocol/outgoing.ts";
import type { Implementation } from "../protocol/types/metadata.ts";
import type { Store } from "../store/contracts.ts";
import { RequestStates } from "./asking/request-state.ts";
import { resolveRequestState } from "./asking/request-state-options.ts";
import { DefaultStore } from "./default-store.ts";
import { Deprecations } from "./deprecations.ts";
import { type CacheHints, resolveCacheHints } from "./features/cache-hints.ts";
import { checkIcons } from "./features/registration.ts";
import { LogPolicy, type LogShare } from "./logging/logging.ts";
import type { ServerOptions } from "./options.ts";
import { Reports } from "./reports.ts";
import { type ResolvedLimits, resolveLimits } from "./requests/limits.ts";

/** See the head of this file. */
export interface Settings {
  readonly info: Implementation;
  readonly instructions: string | undefined;
  readonly clock: Clock;
  /** Where everything is kept that outlives a request. */
  readonly store: Store;
  readonly pageSize: number;
  readonly maskErrors: boolean;
  readonly limits: ResolvedLimits;
  readonly cache: CacheHints;
  readonly states: RequestStates;
  /** Whether results name the server. */
  readonly sendServerInfo: boolean;
  /** `undefined` where the author switched logging off: then no log message is ever sent [LOG-001]. */
  readonly logs: LogPolicy | undefined;
  /** The share of requests that belong to no session. */
  readonly commonLogShare: LogShare;
  readonly outgoing: OutgoingOptions;
  readonly reports: Reports;
  readonly deprecations: Deprecations;
  /** As {@link Reports.onDiagnostic}. */
  readonly onDiagnostic: OnDiagnostic;
  /** As {@link Reports.onError}. */
  readonly onError: Reports["onError"];
  /** As {@link Reports.forget}. */
  readonly forget: Reports["forget"];
  createLogShare(): LogShare;
}

/** The options of a server as settings. */
export function resolveSettings(options: ServerOptions): Settings {
  const clock = options.clock ?? systemClock;
  const reports = new Reports(options);
  const { onDiagnostic, onError, forget } = reports;
  const { logging } = options;
  const logs = logging === false ? undefined : new LogPolicy(typeof logging === "object" ? logging : {}, clock.now);
  const sharing = logs ?? new LogPolicy({}, clock.now);
  const pageSize = options.pageSize ?? 100;
  if (!Number.isInteger(pageSize) || pageSize < 1) {
    throw new UsageError(`pageSize: expected an integer of at least 1, got ${pageSize}`);
  }
  assertExtensions(options.extensions);
  const info = toInfo(options);
  const { now } = clock;
  const store = options.store ?? new DefaultStore(clock);
  return {
    info,
    instructions: options.instructions,
    clock,
    store,
    pageSize,
    maskErrors: options.maskErrors ?? false,
    limits: resolveLimits(options.limits ?? {}, now),
    cache: resolveCacheHints(options.cache),
    states: new RequestStates(
      resolveRequestState(options.requestState ?? {}, now, () => givenStore(store)),
      {
        server: info.name,
        now,
        onDiagnostic,
      },
    ),
    sendServerInfo: options.sendServerInfo ?? true,
    logs,
    commonLogShare: sharing.createShare(),
    outgoing: { ...options.requestTimeouts, clock, onDiagnostic },
    reports,
    deprecations: new Deprecations(reports.onAdvice),
    onDiagnostic,
    onError,
    forget,
    createLogShare: () => sharing.createShare(),
  };
}

/** The store that was given, by the author or later; `undefined` while everything stays in this process. */
function givenStore(store: Store): Store | undefined {
  return store instanceof DefaultStore ? store.given : store;
}

/** Identifiers are metadata keys with a prefix, settings are objects [M-EXT-001]. */
function assertExtensions(extensions: ServerOptions["extensions"] = {}): void {
  for (const [identifier, settings] of Object.entries(extensions)) {
    const parsed = parseMetaKey(identifier);
    const place = `extensions[${JSON.stringify(identifier)}]`;
    if (!parsed.ok || parsed.key.prefix === undefined) {
      throw new UsageError(`${place}: expected an identifier with a prefix, such as com.example/name`);
    }
    if (!isObject(settings)) {
      throw new UsageError(`${place}: expected an object with settings, {} where there are none`);
    }
  }
}

function toInfo(options: ServerOptions): Implementation {
  const { name, version, title, description, websiteUrl, icons } = options;
  const info: Implementation = {
    name,
    version,
    ...(title === undefined ? undefined : { title }),
    ...(description === undefined ? undefined : { description }),
    ...(websiteUrl === undefined ? undefined : { websiteUrl }),
    ...(icons === undefined ? undefined : { icons: [...icons] }),
  };
  const problem = findMismatch(implementation, info, "server") ?? checkIcons(icons, "server");
  if (problem !== undefined) {
    throw new UsageError(`defineServer: ${problem}`);
  }
  return info;
}
