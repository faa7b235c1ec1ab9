/**
 * Takes servers along when the host ends: a process that leads its own group gets no Ctrl-C from the terminal, and
 * would outlive a host that exits without closing it.
 *
 * A host that is killed outright can do nothing; its servers see the end of their input.
 */
import process from "node:process";
import type { ProcessTree } from "./process-tree.node.ts";

const fatalSignals: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP"];

/** What is needed of a process, replaceable for tests. */
export interface HostProcess {
  readonly pid: number;
  on(event: "exit", listener: () => void): unknown;
  off(event: "exit" | NodeJS.Signals, listener: () => void): unknown;
  prependListener(event: NodeJS.Signals, listener: () => void): unknown;
  listenerCount(event: NodeJS.Signals): number;
  kill(pid: number, signal: NodeJS.Signals): unknown;
}

/** Holds the trees that end with the host. It listens only while there is one. */
export class HostExit {
  readonly #host: HostProcess;
  readonly #trees = new Set<ProcessTree>();
  readonly #onExit = (): void => this.#killAll();
  #signalListeners: ReadonlyMap<NodeJS.Signals, () => void> = new Map();

  constructor(host: HostProcess) {
    this.#host = host;
  }

  /** Kills the tree when the host exits, until the returned function is called. */
  add(tree: ProcessTree): () => void {
    if (this.#trees.size === 0) {
      this.#listen();
    }
    this.#trees.add(tree);
    return () => {
      if (this.#trees.delete(tree) && this.#trees.size === 0) {
        this.#unlisten();
      }
    };
  }

  #listen(): void {
    this.#host.on("exit", this.#onExit);
    this.#signalListeners = new Map(fatalSignals.map((name) => [name, () => this.#receive(name)]));
    for (const [name, listener] of this.#signalListeners) {
      // In front, so that others who count listeners no longer see this one, which leaves when it runs.
      this.#host.prependListener(name, listener);
    }
  }

  #unlisten(): void {
    this.#host.off("exit", this.#onExit);
    for (const [name, listener] of this.#signalListeners) {
      this.#host.off(name, listener);
    }
  }

  /** Our listener has switched off the signal's own effect: without anybody else's, it has to be brought about. */
  #receive(name: NodeJS.Signals): void {
    const listener = this.#signalListeners.get(name);
    if (listener !== undefined) {
      this.#host.off(name, listener);
    }
    if (this.#host.listenerCount(name) === 0) {
      this.#killAll();
      this.#host.kill(this.#host.pid, name);
    }
  }

  #killAll(): void {
    for (const tree of this.#trees) {
      tree.kill({ isUrgent: true });
    }
  }
}

/** The one of this process: its exit and its signals exist once, so what listens to them does too. */
export const hostExit: HostExit = /* @__PURE__ */ new HostExit(process);
