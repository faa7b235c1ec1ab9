// Runs the steps of the walk one after the other and prints a line for each: whether it went as it should, how long it
// took, and what came out.

/** A step: does something, checks it, and says in a few words what came out. */
export type Step = () => Promise<string>;

const stepTimeoutMs = 15_000;
const nameWidth = 25;

/** See the head of this file. */
export class Transcript {
  readonly #print: (line: string) => void;
  readonly #startedMs = performance.now();
  #passed = 0;
  #failed = 0;

  constructor(print: (line: string) => void) {
    this.#print = print;
  }

  /** Whether every step so far went as it should. */
  get isGood(): boolean {
    return this.#failed === 0 && this.#passed > 0;
  }

  /** Runs a step. One that fails is shown, and the next ones still run. */
  async step(name: string, step: Step): Promise<void> {
    const startedMs = performance.now();
    const outcome = await withTimeout(step()).then(
      (text) => ({ text, ok: true }),
      (error: unknown) => ({ text: describe(error), ok: false }),
    );
    this.#passed += outcome.ok ? 1 : 0;
    this.#failed += outcome.ok ? 0 : 1;
    const took = `${Math.round(performance.now() - startedMs)} ms`;
    this.#print(`${outcome.ok ? "  ok " : "FAIL "} ${name.padEnd(nameWidth)} ${took.padStart(8)}  ${outcome.text}`);
  }

  /** Says that a step makes no sense here. */
  skip(name: string, why: string): void {
    this.#print(`   -  ${name.padEnd(nameWidth)} ${"".padStart(8)}  ${why}`);
  }

  /** The last line. */
  summary(): string {
    const seconds = ((performance.now() - this.#startedMs) / 1_000).toFixed(1);
    return `${this.#passed} steps went as they should, ${this.#failed} did not, in ${seconds} s`;
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

async function withTimeout<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not done after ${stepTimeoutMs} ms`)), stepTimeoutMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
