/** Commands and scripts over one connection. The first of them makes sure that the server has what the store needs. */
import { StoreError } from "../error.ts";
import type { CommandConnection } from "./connection.ts";
import { isUnknownScript, readFailure } from "./failure.ts";
import type { Operations, Outcome } from "./operations.ts";
import type { Script } from "./script.ts";

/** Oldest version of Redis. Valkey has everything since its first. */
const oldestMajor = 7;

/** See the head of this file. */
export class Commands {
  readonly #operations: Operations<CommandConnection>;
  readonly #place: string;
  #isChecked = false;

  constructor(operations: Operations<CommandConnection>, place: string) {
    this.#operations = operations;
    this.#place = place;
  }

  /** Runs a command that has the same effect twice as once. */
  run(command: readonly string[]): Promise<Outcome<unknown>> {
    return this.#operations.run((connection) => this.#send(connection, command));
  }

  /** Runs a script that has the same effect twice as once. */
  async evaluate(script: Script, keys: readonly string[], args: readonly string[]): Promise<Outcome<unknown>> {
    const { value, isCertain } = await this.evaluateBefore(script, keys, args);
    return { value: value[0], isCertain };
  }

  /** Runs a script, and right behind it a command. */
  evaluateBefore(
    script: Script,
    keys: readonly string[],
    args: readonly string[],
    command?: readonly string[],
  ): Promise<Outcome<readonly unknown[]>> {
    const rest = [String(keys.length), ...keys, ...args];
    const behind = command === undefined ? [] : [command];
    return this.#operations.run(async (connection) => {
      const send = (...name: string[]): Promise<unknown[]> =>
        Promise.all([[...name, ...rest], ...behind].map((each) => this.#send(connection, each)));
      const digest = await script.digest();
      try {
        return await send("EVALSHA", digest);
      } catch (error) {
        if (!isUnknownScript(error)) {
          throw error;
        }
        return send("EVAL", script.text);
      }
    });
  }

  /**
   * Whether something was done.
   *
   * @throws StoreError where it was not done by the last of several attempts, one of which may have done it
   */
  readDone({ value, isCertain }: Outcome<unknown>): boolean {
    const isDone = Number(value) > 0;
    if (!isDone && !isCertain) {
      throw this.#operations.describeUnknown();
    }
    return isDone;
  }

  async #send(connection: CommandConnection, command: readonly string[]): Promise<unknown> {
    if (!this.#isChecked) {
      await this.#check(connection);
      this.#isChecked = true;
    }
    return connection.send(command);
  }

  async #check(connection: CommandConnection): Promise<void> {
    const info = await readInfo(connection);
    const version = /^redis_version:(.*)$/m.exec(info)?.[1]?.trim();
    if (version !== undefined && !/^valkey_version:/m.test(info) && Number.parseInt(version, 10) < oldestMajor) {
      throw new StoreError(
        "unavailable",
        `Redis at ${this.#place}: expected Redis ${oldestMajor}.0 or newer, or Valkey, got Redis ${version}; upgrade it or name another server`,
      );
    }
  }
}

/** What the server says of itself; nothing where the user may not ask. */
async function readInfo(connection: CommandConnection): Promise<string> {
  try {
    return String(await connection.send(["INFO", "server"]));
  } catch (error) {
    if (readFailure(error).kind === "refused") {
      return "";
    }
    throw error;
  }
}
