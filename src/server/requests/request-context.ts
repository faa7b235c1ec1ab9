/**
 * The context of one request. One small object; everything on it is made when it is used.
 *
 * What its members promise is said in context.ts; what they stand on is request-scope.ts.
 */
import type { JsonObject } from "../../jsonrpc/message.ts";
import { readMeta } from "../../protocol/meta.ts";
import type { AuthInfo } from "../../protocol/types/auth.ts";
import type { HttpDetails } from "../../revision/exchange.ts";
import { askForm } from "../asking/elicit.ts";
import { askRaw } from "../asking/input.ts";
import { askRoots } from "../asking/roots.ts";
import { askSample } from "../asking/sample.ts";
import { createLog, type Log } from "../logging/log.ts";
import type { ServerSession } from "../sessions/session.ts";
import type { AnyContext, ClientDetails } from "./context.ts";
import type { RequestScope } from "./request-scope.ts";

/** See the head of this file. */
export class RequestContext implements AnyContext {
  /** What the server knows of the request. */
  readonly scope: RequestScope;

  constructor(scope: RequestScope) {
    this.scope = scope;
  }

  get signal(): AbortSignal {
    return this.scope.signal;
  }

  get value(): never {
    return this.scope.value as never;
  }

  get auth(): AuthInfo | undefined {
    return this.scope.exchange.context.auth;
  }

  get client(): ClientDetails {
    return this.scope.client;
  }

  get session(): ServerSession | undefined {
    return this.scope.live;
  }

  get revision(): string {
    return this.scope.revision.id;
  }

  get request(): HttpDetails | undefined {
    return this.scope.exchange.context.http;
  }

  get meta(): Readonly<JsonObject> {
    return readMeta(this.scope.message.params) ?? {};
  }

  get log(): Log {
    const { scope } = this;
    const { logs, forget } = scope.host.settings;
    return createLog((entry) => {
      scope.deprecations?.use("ctx.log");
      const { isWanted, level } = scope.logLevel;
      if (isWanted) {
        const send = ({ method, params }: { method: string; params?: JsonObject | undefined }): void =>
          forget(scope.notify(method, params));
        logs?.write({ level, share: scope.logShare, send }, entry);
      }
    });
  }

  get progress(): (done: number, total?: number, message?: string) => void {
    const reporter = this.scope.progress;
    return (done, total, message) => reporter?.report(done, total, message);
  }

  get elicit(): AnyContext["elicit"] {
    const { target, host } = this.scope;
    const { onDiagnostic } = host.settings;
    return (message, schema, options = {}) => this.#held(askForm(target, message, schema, options, onDiagnostic));
  }

  get elicitUrl(): AnyContext["elicitUrl"] {
    const { target, host } = this.scope;
    return (request, options = {}) => this.#held(host.urlElicitations.ask(target, request, options));
  }

  get sample(): AnyContext["sample"] {
    const { target, deprecations } = this.scope;
    return (params, options = {}) => {
      deprecations?.ask("sampling/createMessage", { ...params });
      return this.#held(askSample(target, params, options));
    };
  }

  get roots(): AnyContext["roots"] {
    const { target, deprecations } = this.scope;
    return (options = {}) => {
      deprecations?.ask("roots/list", undefined);
      return this.#held(askRoots(target, options));
    };
  }

  get once(): AnyContext["once"] {
    const { rounds, memo } = this.scope;
    return (key, work) => this.#held((rounds ?? memo).once(key, work));
  }

  get notify(): (method: string, params?: JsonObject) => Promise<void> {
    const { scope } = this;
    return (method, params) => scope.notify(method, params);
  }

  get ask(): AnyContext["ask"] {
    const { target, deprecations } = this.scope;
    return (method, params, options = {}) => {
      deprecations?.ask(method, params);
      return this.#held(askRaw(target, { method, params }, options));
    };
  }

  get closeStream(): () => boolean {
    const { exchange } = this.scope;
    return () => {
      exchange.closeStream?.();
      return exchange.closeStream !== undefined;
    };
  }

  /** A question whose answer comes with a later request rejects, in its turn. */
  #held<T>(question: Promise<T>): Promise<T> {
    return this.scope.rounds?.hold(question) ?? question;
  }
}
