/**
 * Whether a tool call asks for a task: as the caller wishes, within what the server and the tool allow.
 *
 * Only the core form asks; in the extension the server alone decides [X-TASK-010].
 * Specification: Basic > Utilities > Tasks > Capability Negotiation, Tool-Level Negotiation.
 */
import { raceAbort } from "../../base/abort.ts";
import { MissingCapabilityError } from "../../protocol/errors.ts";
import type { TaskMetadata } from "../../protocol/types/message.ts";
import type { Tool } from "../../protocol/types/tool.ts";
import type { Connection } from "../requests/connection.ts";
import { declaresExtension, formIn, tasksExtension } from "./extension.ts";
import type { TaskWish } from "./task-options.ts";

/** The tools of the server, as far as they are known. */
export interface ToolDirectory {
  get(name: string): Tool | undefined;
  /** Fetches all of them. */
  list(): Promise<unknown>;
}

const toolTasks = "tasks.requests.tools.call";

/** See the head of this file. */
export class TaskSupport {
  readonly #connection: Connection;
  readonly #tools: ToolDirectory;
  #listing: Promise<unknown> | undefined;

  constructor(connection: Connection, tools: ToolDirectory) {
    this.#connection = connection;
    this.#tools = tools;
  }

  /**
   * What to put into the params of a call as `task`; nothing for a call that asks for none.
   *
   * @throws {@link MissingCapabilityError} for a task that the server or the tool does not allow, with nothing sent
   * [TASK-003] [TASK-008]
   */
  async decide(
    name: string,
    wish: boolean | TaskWish | undefined,
    signal: AbortSignal | undefined,
  ): Promise<TaskMetadata | undefined> {
    const { revision } = this.#connection;
    const isWished = wish !== undefined && wish !== false;
    const form = formIn(revision);
    if (form !== "core") {
      if (isWished) {
        this.#assertExtension(name);
      }
      return undefined;
    }
    if (this.#connection.agreement?.capabilities?.tasks?.requests?.tools?.call === undefined) {
      if (isWished) {
        throw refuse(toolTasks, name, `the server does not declare ${toolTasks}`);
      }
      return undefined;
    }
    const support = (await this.#find(name, signal))?.execution?.taskSupport ?? "forbidden";
    if (support === "forbidden" && isWished) {
      throw refuse("execution.taskSupport", name, "the tool does not say that it may");
    }
    if (support === "required" && !this.#connection.settings.tasks.areUsed) {
      throw refuse(
        "execution.taskSupport",
        name,
        "the tool can be called in no other way, and tasks were switched off",
        "has to",
      );
    }
    return support === "required" || isWished ? toMetadata(wish) : undefined;
  }

  /** Tools that were never listed may have to be called as tasks too, so the list is fetched, once for all of them [TASK-010]. */
  async #find(name: string, signal: AbortSignal | undefined): Promise<Tool | undefined> {
    const known = this.#tools.get(name);
    if (known !== undefined) {
      return known;
    }
    this.#listing ??= this.#tools.list();
    const listing = this.#listing;
    try {
      await raceAbort(listing, signal);
    } catch (error) {
      this.#listing = this.#listing === listing ? undefined : this.#listing;
      throw error;
    }
    return this.#tools.get(name);
  }

  /** The list has changed, so what is not in it may be by now. */
  outdate(): void {
    this.#listing = undefined;
  }

  #assertExtension(name: string): void {
    const { revision, capabilities, agreement } = this.#connection;
    if (formIn(revision) === undefined) {
      throw refuse("tasks", name, `revision ${revision.id}, which was negotiated, has no tasks`);
    }
    const server = agreement?.capabilities;
    if (!declaresExtension(capabilities) || (server !== undefined && !declaresExtension(server))) {
      throw refuse(tasksExtension, name, `${tasksExtension} is not declared by both sides`);
    }
  }
}

function toMetadata(wish: boolean | TaskWish | undefined): TaskMetadata {
  const ttl = typeof wish === "object" ? wish.ttlMs : undefined;
  return ttl === undefined ? {} : { ttl };
}

function refuse(capability: string, name: string, why: string, verb = "cannot"): MissingCapabilityError {
  return new MissingCapabilityError(capability, `tools/call: ${name} ${verb} be called as a task: ${why}`);
}
