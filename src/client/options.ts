/** What a client is made from, and the same with every default filled in. */
import type { BackoffOptions } from "../base/backoff.ts";
import type { OnDiagnostic } from "../base/diagnostic.ts";
import { UsageError } from "../base/error.ts";
import { isObject } from "../base/json.ts";
import { type Clock, systemClock } from "../base/timer.ts";
import { parseMetaKey } from "../protocol/meta-key.ts";
import { requestReceiver } from "../protocol/methods.ts";
import type { ClientCapabilities } from "../protocol/types/lifecycle.ts";
import type { LoggingLevel, LoggingMessageNotificationParams } from "../protocol/types/logging.ts";
import type { Implementation } from "../protocol/types/metadata.ts";
import type { Root } from "../protocol/types/roots.ts";
import { createValidator } from "../schema/compile.ts";
import type { JsonSchemaValidator } from "../schema/validator.ts";
import { type ElicitationOptions, toElicitationCapability } from "./answering/elicitation.ts";
import { type RootsOptions, type RootsSource, resolveRoots } from "./answering/roots.ts";
import { type SamplingOptions, toSamplingCapability } from "./answering/sampling.ts";
import type { ServeRequest } from "./answering/serving.ts";
import { type CacheOptions, type CacheSettings, resolveCacheOptions } from "./cache/cache-options.ts";
import { Deprecations } from "./deprecations.ts";
import type { OnListChanged } from "./lists/list-watch.ts";
import type { ListOptions } from "./lists/lists.ts";
import type { Middleware } from "./middleware.ts";
import type { ClientIdentity } from "./sessions/handshake.ts";
import { type KeepAliveOptions, type KeepAliveSettings, resolveKeepAlive } from "./sessions/keep-alive.ts";
import type { ServerDetails } from "./sessions/server-details.ts";
import { tasksExtension } from "./tasks/extension.ts";
import {
  type ClientTaskOptions,
  type ClientTaskSettings,
  resolveTaskOptions,
  toTasksCapability,
} from "./tasks/task-options.ts";
import type { ApproveCall, CallRecord } from "./tools/call-policy.ts";

/** Options of {@link defineClient}: who the client is, what it serves, and how it behaves. */
export interface ClientOptions extends Implementation {
  /** Experimental features and extensions to announce. The rest of the capabilities follows from the handlers. */
  capabilities?: Pick<ClientCapabilities, "experimental" | "extensions"> | undefined;
  /**
   * Lets servers ask a model.
   *
   * @deprecated in the newest revision: call the model where the result is needed. It works in all revisions.
   */
  sampling?: SamplingOptions | undefined;
  /** Lets servers ask the person. At least one of the two modes must be there. */
  elicitation?: ElicitationOptions | undefined;
  /**
   * Folders that servers may work in; a list, or options with a provider.
   *
   * @deprecated in the newest revision: name folders in the arguments of tools. It works in all revisions.
   */
  roots?: readonly Root[] | RootsOptions | undefined;
  /** Requests outside the protocol that servers may send, by method. */
  methods?: { readonly [method: string]: ServeRequest } | undefined;
  /** Layers around every message of every session, the first one outermost. */
  middleware?: readonly Middleware[] | undefined;
  /** Whether a server's tool annotations may be believed. Default false: all count as untrusted. */
  trust?: boolean | ((server: Omit<ServerDetails, "trusted">) => boolean) | undefined;
  /** Asked before every tool call; without it all calls are made. */
  approve?: ApproveCall | undefined;
  /** Told of every tool call once it is over, for audit and usage. */
  onCall?: ((record: CallRecord) => void) | undefined;
  /** What a result is worth that does not fit the tool's output schema. Default `"throw"`, a {@link PeerError}. */
  outputValidation?: "throw" | "report" | "off" | undefined;
  /** Compiles output schemas. Default: the built-in validator. */
  validator?: JsonSchemaValidator | undefined;
  /** Told what changed after a list was fetched again; giving it switches {@link ClientOptions.autoRefresh} on. */
  onListChanged?: OnListChanged | undefined;
  /** Fetches a list again when the server says that it changed. Default: only with `onListChanged`. */
  autoRefresh?: boolean | undefined;
  /** Bounds of every list. */
  lists?: ListOptions | undefined;
  /**
   * The least severe log message wanted. It goes with every request where each stands for itself; otherwise it is set
   * once, on servers that log. Default: `"info"` with `onLog` where each request says it; otherwise the server's own.
   *
   * @deprecated in the newest revision: read the server's standard error, or trace it. It works in all revisions.
   */
  logLevel?: LoggingLevel | undefined;
  /** Told of every log message. */
  onLog?: ((message: LoggingMessageNotificationParams, server: ServerDetails) => void) | undefined;
  /** Told once when a server had forgotten the session and a new one took its place. */
  onSessionReplaced?: ((server: ServerDetails) => void) | undefined;
  /** How results are kept that may be used again; `false` keeps none. Default: in memory, as servers allow. */
  cache?: CacheOptions | false | undefined;
  /**
   * How tasks are dealt with; `false` lets servers make none of calls. Default: those are followed, and calls simply take
   * longer.
   */
  tasks?: ClientTaskOptions | false | undefined;
  /** How often one call may be answered with further questions before it fails, at least 1. Default 10. */
  maxInputRounds?: number | undefined;
  /** How long to wait before a lost subscription is opened again. */
  relisten?: RelistenOptions | undefined;
  /** Told once a lost subscription is open again: lists and resources have been outdated, those watched are fetched. */
  onChangesMissed?: ((server: ServerDetails) => void) | undefined;
  /** Whether requests that stand for themselves leave out name and version of the client. Default false. */
  anonymous?: boolean | undefined;
  /** Told of what was dropped, tolerated or repaired. Must not throw. */
  onDiagnostic?: OnDiagnostic | undefined;
  /** Longest silence of a request that does not say otherwise, in milliseconds. Default 60 000. */
  idleTimeoutMs?: number | undefined;
  /** Longest wait of a request that does not say otherwise, in milliseconds. Default 1 800 000. */
  totalTimeoutMs?: number | undefined;
  /** Pings servers regularly. Default: off. */
  keepAlive?: KeepAliveOptions | undefined;
  /** Whose time. Default: the system's, with timers that do not keep a process alive. */
  clock?: Clock | undefined;
}

/** What servers may ask of a client. */
export type ServedFeatures = Pick<ClientOptions, "sampling" | "elicitation" | "roots">;

/** Delays before a lost subscription is opened again; they double from one attempt to the next, with jitter. */
export interface RelistenOptions {
  /** Before the first attempt, in milliseconds. Default 500. */
  initialDelayMs?: number | undefined;
  /** Longest one, in milliseconds; also the one after which a subscription that the server ended is tried. Default 30 000. */
  maxDelayMs?: number | undefined;
}

/** The options with their defaults. */
export interface ClientSettings {
  identity: ClientIdentity;
  sampling: SamplingOptions | undefined;
  elicitation: ElicitationOptions | undefined;
  roots: RootsSource | undefined;
  readonly methods: { readonly [method: string]: ServeRequest };
  readonly middleware: readonly Middleware[];
  readonly isTrusted: (server: Omit<ServerDetails, "trusted">) => boolean;
  readonly approve: ApproveCall | undefined;
  readonly onCall: ((record: CallRecord) => void) | undefined;
  readonly outputValidation: "throw" | "report" | "off";
  readonly validator: JsonSchemaValidator;
  readonly onListChanged: OnListChanged | undefined;
  readonly autoRefresh: boolean;
  readonly lists: ListOptions;
  readonly logLevel: LoggingLevel | undefined;
  readonly onLog: ClientOptions["onLog"];
  readonly cache: CacheSettings;
  /** Whether anything is kept at all. */
  readonly isCaching: boolean;
  readonly maxInputRounds: number;
  readonly tasks: ClientTaskSettings;
  readonly relisten: BackoffOptions;
  readonly onChangesMissed: ClientOptions["onChangesMissed"];
  readonly onSessionReplaced: ClientOptions["onSessionReplaced"];
  readonly onDiagnostic: OnDiagnostic | undefined;
  readonly deprecations: Deprecations;
  readonly idleTimeoutMs: number | undefined;
  readonly totalTimeoutMs: number | undefined;
  readonly keepAlive: KeepAliveSettings | undefined;
  readonly clock: Clock;
}

/**
 * Fills in the defaults and derives what the client can do from what it was given.
 *
 * @throws {@link UsageError} for what contradicts itself
 */
export function resolveClientOptions(options: ClientOptions): ClientSettings {
  const { trust = false, clock = systemClock, onDiagnostic, maxInputRounds = 10 } = options;
  const roots = resolveRoots(options.roots);
  const tasks = resolveTaskOptions(options.tasks);
  assertCustomMethods(options.methods ?? {});
  assertExtensions(options.capabilities?.extensions ?? {});
  if (!(maxInputRounds >= 1)) {
    throw new UsageError(`maxInputRounds: expected a number of at least 1, got ${maxInputRounds}`);
  }
  return {
    identity: {
      info: toImplementation(options),
      capabilities: toCapabilities(withTaskExtension(options.capabilities, tasks), options, roots),
      ...(options.anonymous === true ? { anonymous: true } : undefined),
    },
    sampling: options.sampling,
    elicitation: options.elicitation,
    roots,
    methods: options.methods ?? {},
    middleware: options.middleware ?? [],
    isTrusted: typeof trust === "function" ? trust : () => trust,
    approve: options.approve,
    onCall: options.onCall,
    outputValidation: options.outputValidation ?? "throw",
    validator: options.validator ?? createValidator(),
    onListChanged: options.onListChanged,
    autoRefresh: options.autoRefresh ?? options.onListChanged !== undefined,
    lists: options.lists ?? {},
    logLevel: options.logLevel,
    onLog: options.onLog,
    cache: resolveCacheOptions(options.cache || {}, { now: () => clock.now(), onDiagnostic }),
    isCaching: options.cache !== false,
    maxInputRounds,
    tasks,
    relisten: {
      initialDelayMs: options.relisten?.initialDelayMs ?? 500,
      maxDelayMs: options.relisten?.maxDelayMs ?? 30_000,
    },
    onChangesMissed: options.onChangesMissed,
    onSessionReplaced: options.onSessionReplaced,
    onDiagnostic,
    deprecations: new Deprecations(onDiagnostic),
    idleTimeoutMs: options.idleTimeoutMs,
    totalTimeoutMs: options.totalTimeoutMs,
    keepAlive: resolveKeepAlive(options.keepAlive),
    clock,
  };
}

/**
 * Puts other features in place of those a client has served so far; what is not given stays.
 *
 * @throws {@link UsageError} for what contradicts itself; then nothing has changed
 */
export function replaceFeatures(settings: ClientSettings, features: ServedFeatures): void {
  const { sampling = settings.sampling, elicitation = settings.elicitation } = features;
  const roots = features.roots === undefined ? settings.roots : resolveRoots(features.roots);
  const { identity } = settings;
  settings.identity = {
    ...identity,
    capabilities: toCapabilities(identity.capabilities, { sampling, elicitation }, roots),
  };
  settings.sampling = sampling;
  settings.elicitation = elicitation;
  settings.roots = roots;
}

function toImplementation(options: ClientOptions): Implementation {
  const { name, version, title, description, websiteUrl, icons } = options;
  if (typeof name !== "string" || name === "" || typeof version !== "string") {
    throw new UsageError("expected the client's name and version as strings");
  }
  return {
    name,
    version,
    ...(title === undefined ? undefined : { title }),
    ...(description === undefined ? undefined : { description }),
    ...(websiteUrl === undefined ? undefined : { websiteUrl }),
    ...(icons === undefined ? undefined : { icons }),
  };
}

/** Servers may answer calls with tasks, unless they must not [X-TASK-001]. */
function withTaskExtension(
  capabilities: ClientOptions["capabilities"],
  { areUsed }: ClientTaskSettings,
): ClientCapabilities {
  return areUsed
    ? { ...capabilities, extensions: { [tasksExtension]: {}, ...capabilities?.extensions } }
    : { ...capabilities };
}

function toCapabilities(
  given: ClientCapabilities,
  { sampling, elicitation }: Pick<ClientOptions, "sampling" | "elicitation">,
  roots: RootsSource | undefined,
): ClientCapabilities {
  const { tasks: _tasks, ...others } = given;
  return {
    ...others,
    ...toTasksCapability({ sampling: sampling?.tasks, elicitation: elicitation?.tasks }),
    ...(sampling === undefined ? undefined : { sampling: toSamplingCapability(sampling) }),
    ...(elicitation === undefined ? undefined : { elicitation: toElicitationCapability(elicitation) }),
    ...(roots === undefined ? undefined : { roots: { listChanged: roots.listChanged } }),
  };
}

function assertCustomMethods(methods: { readonly [method: string]: ServeRequest }): void {
  const taken = Object.keys(methods).find((method) => requestReceiver(method) !== undefined);
  if (taken !== undefined) {
    throw new UsageError(`methods: ${taken} belongs to the protocol; expected a method name of your own`);
  }
}

/** Names of extensions follow the rules for keys of `_meta`, with a prefix [M-EXT-001]. */
function assertExtensions(extensions: { readonly [identifier: string]: unknown }): void {
  for (const [identifier, settings] of Object.entries(extensions)) {
    const parsed = parseMetaKey(identifier);
    const where = `capabilities.extensions[${JSON.stringify(identifier)}]`;
    if (!parsed.ok || parsed.key.prefix === undefined) {
      throw new UsageError(`${where}: expected a name with a prefix, as in com.example/name`);
    }
    if (!isObject(settings)) {
      throw new UsageError(`${where}: expected an object of settings, which may be empty`);
    }
  }
}
