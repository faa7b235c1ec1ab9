// What became of every call: the counts that the run is judged by.

/** Something that was made and has to come to an end. */
export interface Entry {
  answered(): void;
  /** It ended with an error that says so. */
  failed(error: unknown): void;
}

/** See the head of this file. */
export class Ledger {
  made = 0;
  answered = 0;
  errors = 0;
  /** Calls that never came to an end, or only by the client's own impatience. */
  readonly lost: string[] = [];
  /** Answers that came for a request that had one. */
  doubled = 0;
  /** Results that belong to another call. */
  crossed = 0;
  /** Changes that were acknowledged and of which the subscriber never heard. */
  unheard = 0;
  heard = 0;
  questions = 0;
  progress = 0;
  /** How often each kind of error came. */
  readonly kinds = new Map<string, number>();
  readonly #open = new Set<string>();

  /** Counts a call. */
  begin(what: string): Entry {
    const id = `${what} ${this.made}`;
    this.made += 1;
    this.#open.add(id);
    const end = (): boolean => this.#open.delete(id);
    return {
      answered: () => {
        if (end()) {
          this.answered += 1;
        }
      },
      failed: (error) => {
        if (!end()) {
          return;
        }
        const kind = describe(error);
        this.kinds.set(kind, (this.kinds.get(kind) ?? 0) + 1);
        if (isImpatience(error)) {
          this.lost.push(id);
        } else {
          this.errors += 1;
        }
      },
    };
  }

  /** Calls that are still open count as lost from now on. */
  close(): void {
    this.lost.push(...this.#open);
    this.#open.clear();
  }
}

/** Whether the client gave up waiting: nobody answered. */
function isImpatience(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: unknown };
  return code === "MCP_TIMEOUT" || code === -32001 || (typeof message === "string" && /timed out/i.test(message));
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) {
    return String(error);
  }
  const code = "code" in error ? `${String(error.code)} ` : "";
  return `${code}${error.message.replaceAll(/[A-Za-z0-9_-]{16,}/g, "…").slice(0, 140)}`;
}
