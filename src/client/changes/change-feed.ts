/**
 * What a session wants to hear of in a stateless revision, put together as one filter and listened to on one stream.
 *
 * The stream is opened when somebody wants something, and again with another filter when that changes. Older revisions
 * need none of this: there, lists are announced unasked and resources have requests of their own.
 */
import { MissingCapabilityError } from "../../protocol/errors.ts";
import type { SubscriptionFilter } from "../../protocol/types/subscriptions.ts";
import type { Listening } from "./listening.ts";

/** The lists of which one can hear that they changed. */
export type ListKind = "toolsListChanged" | "promptsListChanged" | "resourcesListChanged";

/** The notifications that tell of changed lists, with what has to be wanted for them. */
export const kindsByMethod: { readonly [method: string]: ListKind } = {
  "notifications/tools/list_changed": "toolsListChanged",
  "notifications/prompts/list_changed": "promptsListChanged",
  "notifications/resources/list_changed": "resourcesListChanged",
};

/** See the head of this file. */
export class ChangeFeed {
  readonly #listening: Listening;
  readonly #kinds = new Map<ListKind, number>();
  readonly #uris = new Set<string>();
  readonly #tasks = new Set<string>();

  constructor(listening: Listening) {
    this.#listening = listening;
  }

  /**
   * Wants to hear of a list. What comes of it is reported, not thrown.
   *
   * @returns no longer wants it
   */
  want(kind: ListKind): () => void {
    this.#count(kind, 1);
    let isWanted = true;
    return () => {
      if (isWanted) {
        isWanted = false;
        this.#count(kind, -1);
      }
    };
  }

  /**
   * Wants to hear of a resource.
   *
   * @throws {@link MissingCapabilityError} when the server does not agree to that [M-SUB-006]
   */
  async watch(uri: string): Promise<void> {
    this.#uris.add(uri);
    try {
      const honoured = await this.#update();
      if (this.#uris.has(uri) && !honoured.resourceSubscriptions?.includes(uri)) {
        const message = `subscriptions/listen: the server does not tell of changes of ${uri}`;
        throw new MissingCapabilityError("resources.subscribe", message);
      }
    } catch (error) {
      if (this.#uris.delete(uri)) {
        this.#updateQuietly();
      }
      throw error;
    }
  }

  /** No longer wants to hear of a resource. */
  unwatch(uri: string): void {
    if (this.#uris.delete(uri)) {
      this.#updateQuietly();
    }
  }

  /**
   * Wants to hear of a task. Whoever does looks at it anyway, so nothing depends on what comes of this [TASK-040].
   *
   * @returns no longer wants it
   */
  wantTask(taskId: string): () => void {
    this.#tasks.add(taskId);
    this.#updateQuietly();
    return () => {
      if (this.#tasks.delete(taskId)) {
        this.#updateQuietly();
      }
    };
  }

  #count(kind: ListKind, by: number): void {
    const before = this.#kinds.get(kind) ?? 0;
    this.#kinds.set(kind, before + by);
    if ((before === 0) !== (before + by === 0)) {
      this.#updateQuietly();
    }
  }

  #update(): Promise<SubscriptionFilter> {
    const kinds = [...this.#kinds].flatMap(([kind, count]) => (count > 0 ? [[kind, true]] : []));
    const resourceSubscriptions = [...this.#uris];
    const taskIds = [...this.#tasks];
    return this.#listening.want({
      ...Object.fromEntries(kinds),
      ...(resourceSubscriptions.length === 0 ? undefined : { resourceSubscriptions }),
      ...(taskIds.length === 0 ? undefined : { taskIds }),
    });
  }

  /** Whoever runs the stream reports what becomes of it. */
  #updateQuietly(): void {
    this.#update().catch(() => undefined);
  }
}

/** What of a filter the server did not agree to; `undefined` when that is nothing. */
export function findMissing(honoured: SubscriptionFilter, wanted: SubscriptionFilter): SubscriptionFilter | undefined {
  const kinds = (["toolsListChanged", "promptsListChanged", "resourcesListChanged"] as const).filter(
    (kind) => wanted[kind] && !honoured[kind],
  );
  const uris = (wanted.resourceSubscriptions ?? []).filter((uri) => !honoured.resourceSubscriptions?.includes(uri));
  return kinds.length === 0 && uris.length === 0
    ? undefined
    : {
        ...Object.fromEntries(kinds.map((kind) => [kind, true])),
        ...(uris.length === 0 ? undefined : { resourceSubscriptions: uris }),
      };
}
