/**
 * What the server announces it can do: what is there and can be delivered, unless the author says otherwise.
 *
 * The same answers decide which methods exist. Specification: Basic > Lifecycle > Capability Negotiation.
 */
import { requiredServerCapability } from "../../protocol/capabilities.ts";
import type { ServerCapabilities } from "../../protocol/types/lifecycle.ts";
import type { McpContext } from "../../revision/exchange.ts";
import type { Revision } from "../../revision/revision.ts";
import type { Completion } from "../features/completion.ts";
import type { Prompts } from "../features/prompts.ts";
import type { Resources } from "../features/resources.ts";
import type { Tools } from "../features/tools.ts";
import type { ServerOptions } from "../options.ts";
import { tasksExtension } from "../tasks/extension.ts";
import type { ServerTasks } from "../tasks/server-tasks.ts";

/** The parts of a server that are announced. */
export interface Features {
  readonly tools: Tools;
  readonly resources: Resources;
  readonly prompts: Prompts;
  readonly completion: Completion;
  readonly tasks: ServerTasks;
}

/** See the head of this file. */
export class Announcement {
  readonly #options: ServerOptions;
  readonly #features: Features;
  /** Kinds that were mounted; what they hold is asked of them, not counted here. */
  readonly #mounted = new Set<string>();

  constructor(options: ServerOptions, features: Features) {
    this.#options = options;
    this.#features = features;
  }

  /** Announces a kind that comes from elsewhere. */
  addMounted(...kinds: readonly string[]): void {
    for (const kind of kinds) {
      this.#mounted.add(kind);
    }
  }

  /**
   * The capabilities.
   *
   * @param hasSession - whether notifications that belong to no request can be delivered [PP-047]
   * @param revision - in whose form tasks are announced
   * @param context - who is told
   */
  toCapabilities(hasSession: boolean, { traits }: Revision, context: McpContext): ServerCapabilities {
    const { toolsListChanged, promptsListChanged, resourcesListChanged, experimental } = this.#options;
    const isExtended = traits.tasks === "extension" && this.#features.tasks.isOffered;
    const extensions = isExtended ? { ...this.#options.extensions, [tasksExtension]: {} } : this.#options.extensions;
    const listChanged = (choice: boolean | undefined): { listChanged?: boolean } =>
      hasSession && choice !== false ? { listChanged: true } : {};
    const subscribe = this.#offersSubscribe(hasSession) ? { subscribe: true } : {};
    return {
      ...(experimental === undefined ? undefined : { experimental }),
      ...(extensions === undefined ? undefined : { extensions }),
      ...(this.#has("logging") ? { logging: {} } : undefined),
      ...(this.#has("completions") ? { completions: {} } : undefined),
      ...(this.#has("prompts") ? { prompts: listChanged(promptsListChanged) } : undefined),
      ...(this.#has("resources") ? { resources: { ...subscribe, ...listChanged(resourcesListChanged) } } : undefined),
      ...(this.#has("tools") ? { tools: listChanged(toolsListChanged) } : undefined),
      ...(traits.tasks === "core" ? this.#toCoreTasks(context) : undefined),
    };
  }

  /** Lists are for those who can be told apart [TASK-002, TASK-052]. */
  #toCoreTasks(context: McpContext): Pick<ServerCapabilities, "tasks"> {
    const { tasks } = this.#features;
    if (!tasks.isOffered) {
      return {};
    }
    const list = tasks.offers("tasks/list", context) ? { list: {} } : {};
    return { tasks: { ...list, cancel: {}, requests: { tools: { call: {} } } } };
  }

  /** Whether a method's capability is announced; a method that needs none is there [BASE-016]. */
  offers(method: string, hasSession: boolean, context: McpContext): boolean {
    if (method.startsWith("tasks/")) {
      return this.#features.tasks.offers(method, context);
    }
    const path = requiredServerCapability(method);
    if (path === undefined) {
      return true;
    }
    return path === "resources.subscribe" ? this.#offersSubscribe(hasSession) : this.#has(path);
  }

  #offersSubscribe(hasSession: boolean): boolean {
    return hasSession && this.#options.resourceSubscriptions !== false && this.#has("resources");
  }

  #has(kind: string): boolean {
    const { tools, prompts, completion } = this.#features;
    switch (kind) {
      case "tools":
        return this.#options.tools !== undefined || tools.registry.size > 0 || this.#mounted.has(kind);
      case "prompts":
        return this.#options.prompts !== undefined || prompts.registry.size > 0 || this.#mounted.has(kind);
      case "resources":
        return this.#declaresResources() || this.#mounted.has(kind);
      case "completions":
        return completion.isOffered || this.#mounted.has(kind);
      default:
        return this.#offersLogging();
    }
  }

  #declaresResources(): boolean {
    const { resources, templates } = this.#options;
    return resources !== undefined || templates !== undefined || !this.#features.resources.isEmpty;
  }

  /** Whoever has handlers may log; a server without any has nothing to say. */
  #offersLogging(): boolean {
    const { logging } = this.#options;
    return logging === undefined
      ? this.#has("tools") || this.#has("resources") || this.#has("prompts")
      : logging !== false;
  }
}
