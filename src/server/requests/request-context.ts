/**
 * The context of one request. One small object; everything on it is made when it is used.
 *
 * What its members promise is said in context.ts; what they stand on is request-scope.ts.
 */
import type { JsonObject } from "../../jsonrpc/message.ts";
import { readMeta } from "../../protocol/meta.ts";
import type { AuthInfo } from "../../protocol/types/auth.ts";
import type { HttpDetails } from "../../revision/exchange.ts";
import { createLog, type Log } from "../logging/log.ts";
import type { ServerSession } from "../sessions/session.ts";
import { AskingContext } from "./asking-context.ts";
import type { AnyContext, ClientDetails } from "./context.ts";

/** See the head of this file. */
export class RequestContext extends AskingContext implements AnyContext {
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
    const { scope } = this;
    return (done, total, message) => scope.progress?.report(done, total, message);
  }

  get notify(): (method: string, params?: JsonObject) => Promise<void> {
    const { scope } = this;
    return (method, params) => scope.notify(method, params);
  }

  get closeStream(): () => boolean {
    const { scope } = this;
    return () => {
      const { exchange, work } = scope;
      const canClose = work.task === undefined && exchange.closeStream !== undefined;
      if (canClose) {
        exchange.closeStream?.();
      }
      return canClose;
    };
  }
}
