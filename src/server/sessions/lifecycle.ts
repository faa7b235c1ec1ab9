/**
 * The handshake, pings and the log level: the life of a session as far as a server takes part in it.
 *
 * Specification: Basic > Lifecycle; Basic > Utilities > Ping; Server > Utilities > Logging.
 */
import type { JsonObject } from "../../jsonrpc/message.ts";
import { listKinds } from "../../protocol/changes.ts";
import { InvalidParamsError, UnsupportedRevisionError } from "../../protocol/errors.ts";
import type { DiscoverResult, InitializeRequestParams, InitializeResult } from "../../protocol/types/lifecycle.ts";
import type { SetLevelRequestParams } from "../../protocol/types/logging.ts";
import type { McpContext } from "../../revision/exchange.ts";
import { chooseRevision, readClientCapabilities } from "../../revision/negotiate.ts";
import { withCacheHint } from "../features/cache-hints.ts";
import { servedRevisions } from "../requests/stateless.ts";
import type { Settings } from "../settings.ts";
import type { Announcement } from "./announcement.ts";
import type { LiveSession } from "./live-session.ts";

/** Requests that are answered before the handshake [LIFE-009, LIFE-010]. */
const beforeHandshake: ReadonlySet<string> = /* @__PURE__ */ new Set(["initialize", "ping"]);

/**
 * Fails for a request that comes before `initialize` and does not stand for itself either [M-BASE-014].
 *
 * @throws InvalidParamsError
 */
export function assertStarted(method: string, live: LiveSession | undefined): void {
  if (live !== undefined && live.state === undefined && !beforeHandshake.has(method)) {
    throw new InvalidParamsError(
      `expected initialize first, or the request's own metadata in params._meta, got ${method} with neither`,
    );
  }
}

/** See the head of this file. */
export class Lifecycle {
  readonly #settings: Settings;
  readonly #announcement: Announcement;

  constructor(settings: Settings, announcement: Announcement) {
    this.#settings = settings;
    this.#announcement = announcement;
  }

  /**
   * Answers `initialize`: with the revision asked for where it is spoken, else with the newest [LIFE-013, LIFE-014].
   *
   * @throws RpcError when the session has begun already [LIFE-011]
   * @throws UnsupportedRevisionError where no revision with a handshake is served [M-VER-008]
   */
  async initialize(
    params: InitializeRequestParams,
    live: LiveSession | undefined,
    context: McpContext,
  ): Promise<JsonObject> {
    const served = servedRevisions(context);
    const revision = chooseRevision(params.protocolVersion, served);
    if (revision === undefined) {
      throw new UnsupportedRevisionError(params.protocolVersion, served);
    }
    const capabilities = this.#announcement.toCapabilities(live !== undefined, revision, context);
    const { info, instructions } = this.#settings;
    const result: InitializeResult = {
      protocolVersion: revision.id,
      capabilities,
      serverInfo: info,
      ...(instructions === undefined ? undefined : { instructions }),
    };
    await live?.begin({
      revision: revision.id,
      clientInfo: params.clientInfo,
      capabilities: readClientCapabilities(revision, { ...params }),
      initialized: false,
      listChanges: listKinds.filter((kind) => capabilities[kind]?.listChanged === true),
    });
    return revision.encodeResult("initialize", result);
  }

  /** Answers `server/discover`: the same whatever came before on the connection [M-DISC-001, M-DISC-002]. */
  discover(context: McpContext): JsonObject {
    const { instructions, cache } = this.#settings;
    const result: DiscoverResult = {
      supportedVersions: [...servedRevisions(context)],
      capabilities: this.#announcement.toCapabilities(true, context.revision, context),
      ...(instructions === undefined ? undefined : { instructions }),
    };
    return { ...withCacheHint(result, cache["server/discover"], true) };
  }

  /** Answers `logging/setLevel`: for this session; without one the level stays what the options say [LOG-005]. */
  async setLevel({ level }: SetLevelRequestParams, live: LiveSession | undefined): Promise<JsonObject> {
    if (live === undefined) {
      this.#settings.onDiagnostic({
        code: "MCP_D_LOG_LEVEL",
        message: `logging/setLevel ${level} had no effect: the request belongs to no session`,
      });
    }
    await live?.update((state) => ({ ...state, logLevel: level }));
    return {};
  }
}
