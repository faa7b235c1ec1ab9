/**
 * The part of a context that may wait for the client: questions, work that is done once beside them, and the task that
 * the call may become. The rest is request-context.ts.
 */

import { askForm } from "../asking/elicit.ts";
import { askRaw } from "../asking/input.ts";
import { askRoots } from "../asking/roots.ts";
import { askSample } from "../asking/sample.ts";
import type { TaskHandle } from "../tasks/task-handle.ts";
import type { AnyContext } from "./context.ts";
import type { RequestScope } from "./request-scope.ts";

/** See the head of this file. */
export class AskingContext {
  /** What the server knows of the request. */
  readonly scope: RequestScope;

  constructor(scope: RequestScope) {
    this.scope = scope;
  }

  get elicit(): AnyContext["elicit"] {
    const { scope } = this;
    const { onDiagnostic } = scope.host.settings;
    return (message, schema, options = {}) => this.#held(askForm(scope.target, message, schema, options, onDiagnostic));
  }

  get elicitUrl(): AnyContext["elicitUrl"] {
    const { scope } = this;
    return (request, options = {}) => this.#held(scope.host.urlElicitations.ask(scope.target, request, options));
  }

  get sample(): AnyContext["sample"] {
    const { scope } = this;
    return (params, options = {}) => {
      scope.deprecations?.ask("sampling/createMessage", { ...params });
      return this.#held(askSample(scope.target, params, options));
    };
  }

  get roots(): AnyContext["roots"] {
    const { scope } = this;
    return (options = {}) => {
      scope.deprecations?.ask("roots/list", undefined);
      return this.#held(askRoots(scope.target, options));
    };
  }

  get once(): AnyContext["once"] {
    const { scope } = this;
    return (key, work) => this.#held(scope.work.once(key, work));
  }

  get ask(): AnyContext["ask"] {
    const { scope } = this;
    return (method, params, options = {}) => {
      scope.deprecations?.ask(method, params);
      return this.#held(askRaw(scope.target, { method, params }, options));
    };
  }

  get task(): TaskHandle | undefined {
    return this.scope.work.task?.handle;
  }

  get beginTask(): () => Promise<TaskHandle | undefined> {
    const { scope } = this;
    return async () => {
      const { task, rounds, begin } = scope.work;
      if (rounds?.suspended !== undefined && begin !== undefined) {
        return this.#held(rounds.suspended);
      }
      return task?.handle ?? begin?.();
    };
  }

  /** A question whose answer comes with a later request rejects, in its turn. */
  #held<T>(question: Promise<T>): Promise<T> {
    return this.scope.work.rounds?.hold(question) ?? question;
  }
}
