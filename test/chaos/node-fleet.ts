// The server processes: started, killed, drained and started again.

import { Program, sourceArgs } from "../fixtures/programs.ts";

interface Node {
  readonly program: Program;
  readonly port: number;
}

/** See the head of this file. */
export class NodeFleet {
  /** What went wrong with the processes themselves. */
  readonly failures: string[] = [];
  /** All processes there ever were. */
  readonly #programs: Program[] = [];
  kills = 0;
  drains = 0;
  readonly #storeArgs: readonly string[];
  /** By place; nothing while a process is being replaced. */
  readonly #nodes: (Node | undefined)[] = [];

  constructor(redisUrl: string, prefix: string) {
    this.#storeArgs = [redisUrl, prefix];
  }

  /** Where the living ones listen. */
  get ports(): number[] {
    return this.#nodes.flatMap((node) => (node === undefined ? [] : [node.port]));
  }

  /** What the processes reported, each kind with how often, the most frequent first. */
  get reports(): string[] {
    const counts = new Map<string, number>();
    for (const line of this.#programs
      .flatMap(({ stderr }) => stderr.split("\n"))
      .filter((text) => text.startsWith("MCP_"))) {
      const kind = line.replaceAll(/[A-Za-z0-9_-]{20,}|\d+/g, "…").slice(0, 200);
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
    }
    return [...counts].sort((one, other) => other[1] - one[1]).map(([kind, count]) => `${count} x ${kind}`);
  }

  async start(count: number): Promise<void> {
    await Promise.all(Array.from({ length: count }, (_, place) => this.#startAt(place)));
  }

  /** Kills a process without warning and starts another. */
  async kill(place: number): Promise<void> {
    const node = this.#nodes[place];
    this.kills += 1;
    node?.program.child.kill("SIGKILL");
    await node?.program.ended;
    await this.#startAt(place);
  }

  /** Replaces a process as a rolling restart does: the next one is there before the old one is told to stop. */
  async drain(place: number): Promise<void> {
    const node = this.#nodes[place];
    this.drains += 1;
    await this.#startAt(place);
    node?.program.child.kill("SIGTERM");
    const ended = await node?.program.ended;
    if (ended !== undefined && ended.code !== 0) {
      this.failures.push(`a drained node ended with code ${ended.code}, signal ${ended.signal}`);
    }
  }

  async stop(): Promise<void> {
    const nodes = this.#nodes.splice(0);
    for (const node of nodes) {
      node?.program.child.kill("SIGKILL");
    }
    await Promise.all(nodes.map((node) => node?.program.ended));
  }

  async #startAt(place: number): Promise<void> {
    const program = new Program(process.execPath, sourceArgs("test/chaos/server.ts", ...this.#storeArgs));
    this.#programs.push(program);
    const port = Number(await program.seen(/listening on http:\/\/[^:]+:(\d+)/));
    this.#nodes[place] = { program, port };
    void program.ended.then(({ code, signal }) => {
      if (signal !== "SIGKILL" && code !== 0) {
        this.failures.push(`a node ended with code ${code}, signal ${signal}:\n${program.stderr.slice(-2_000)}`);
      }
    });
  }
}
