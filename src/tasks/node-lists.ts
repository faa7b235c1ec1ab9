/**
 * Which tasks each process works on, so that others find what a dead one left behind: a list of tasks per process, and a
 * list of the processes that have one.
 */
import { parseJson } from "../base/json.ts";
import type { KeyValue } from "../store/contracts.ts";

/** See the head of this file. */
export class NodeLists {
  readonly #store: KeyValue;
  readonly #prefix: string;
  readonly #node: string;
  readonly #tasks = new Set<string>();
  #isListed = false;
  /** The write in progress, settled either way. */
  #last: Promise<void> = Promise.resolve();
  /** The write that begins after it, for all changes until then. */
  #next: Promise<void> | undefined;

  /** @param node - this process */
  constructor(store: KeyValue, prefix: string, node: string) {
    this.#store = store;
    this.#prefix = prefix;
    this.#node = node;
  }

  /** This process works on a task; kept once this resolves. */
  async add(taskId: string): Promise<void> {
    this.#tasks.add(taskId);
    await Promise.all([this.#write(), this.#isListed ? undefined : this.join()]);
  }

  /** This process has nothing to do with a task any more. */
  async remove(taskId: string): Promise<void> {
    if (this.#tasks.delete(taskId)) {
      await this.#write();
    }
  }

  /** Has this process listed among those that have tasks, whether or not somebody took it off that list. */
  async join(): Promise<void> {
    await this.#updateNodes((nodes) => (nodes.includes(this.#node) ? nodes : [...nodes, this.#node]));
    this.#isListed = true;
  }

  /** Whether this process has tasks, so that it has to be listed. */
  get isNeeded(): boolean {
    return this.#tasks.size > 0;
  }

  /** The processes that have, or had, tasks. */
  async nodes(): Promise<readonly string[]> {
    return decode((await this.#store.get(this.#nodesKey))?.value);
  }

  /** The tasks that a process works on, or worked on when it died. */
  async tasksOf(node: string): Promise<readonly string[]> {
    return decode((await this.#store.get(this.#keyOf(node)))?.value);
  }

  /** Nobody need look at a process any more. */
  async forget(node: string): Promise<void> {
    await this.#updateNodes((nodes) => nodes.filter((listed) => listed !== node));
    await this.#store.delete(this.#keyOf(node));
  }

  /** One write at a time; those who come meanwhile share the next. */
  #write(): Promise<void> {
    this.#next ??= this.#last.then(async () => {
      this.#next = undefined;
      const writing = this.#store.set(this.#keyOf(this.#node), JSON.stringify([...this.#tasks])).then(() => undefined);
      this.#last = writing.catch(() => undefined);
      await writing;
    });
    return this.#next;
  }

  async #updateNodes(change: (nodes: readonly string[]) => readonly string[]): Promise<void> {
    for (;;) {
      const stored = await this.#store.get(this.#nodesKey);
      const nodes = decode(stored?.value);
      const next = change(nodes);
      const isSame = next.length === nodes.length;
      const ifVersion = stored?.version ?? null;
      if (isSame || (await this.#store.set(this.#nodesKey, JSON.stringify(next), { ifVersion })) !== undefined) {
        return;
      }
    }
  }

  get #nodesKey(): string {
    return `${this.#prefix}-nodes`;
  }

  #keyOf(node: string): string {
    return `${this.#prefix}-at/${node}`;
  }
}

function decode(text: string | undefined): string[] {
  const parsed = text === undefined ? undefined : parseJson(text, 3);
  const items: readonly unknown[] = parsed?.ok === true && Array.isArray(parsed.value) ? parsed.value : [];
  return items.filter((item) => typeof item === "string");
}
