/**
 * A stretch of time in which requests go on and which ends once, with an error: a session, or the link itself.
 *
 * It knows neither what goes on in it nor why it ends.
 */
import { type LinkedSignal, linkSignals } from "../../base/abort.ts";
import type { McpError } from "../../base/error.ts";

/** See the head of this file. */
export class Lifetime {
  readonly #controller = new AbortController();
  /** Kept here rather than as listeners of one signal, of which runtimes suspect many to be a leak. */
  readonly #followers = new Set<LinkedSignal>();

  /** Aborts at the end, with the error that everything still waiting fails with. For few listeners. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** A signal of its own for each of the many things that go on; it is to be released when they are done. */
  follow(): LinkedSignal {
    const follower = linkSignals();
    if (this.signal.aborted) {
      follower.abort(this.signal.reason);
    } else {
      this.#followers.add(follower);
    }
    const release = (): void => {
      this.#followers.delete(follower);
    };
    return { ...follower, release };
  }

  /** Ends everything that goes on. The first reason counts. */
  end(reason: McpError): void {
    this.#controller.abort(reason);
    for (const follower of this.#followers) {
      follower.abort(this.signal.reason);
    }
    this.#followers.clear();
  }
}
