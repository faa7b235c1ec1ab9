/**
 * Which capability a method needs, and whether the peer declared it.
 * What a refusal looks like on the wire is decided by whoever asks.
 *
 * Specification: Basic > Lifecycle > Capability Negotiation.
 */
import { isObject } from "../base/json.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import type { NotificationMethod, RequestMethod } from "./methods.ts";
import type { ClientCapabilities, ServerCapabilities } from "./types/lifecycle.ts";

const serverNeeds: { readonly [M in RequestMethod | NotificationMethod]?: string } = {
  "tools/list": "tools",
  "tools/call": "tools",
  "resources/list": "resources",
  "resources/templates/list": "resources",
  "resources/read": "resources",
  "resources/subscribe": "resources.subscribe",
  "resources/unsubscribe": "resources.subscribe",
  "prompts/list": "prompts",
  "prompts/get": "prompts",
  "completion/complete": "completions",
  "logging/setLevel": "logging",
  "notifications/message": "logging",
  "notifications/tools/list_changed": "tools.listChanged",
  "notifications/resources/list_changed": "resources.listChanged",
  "notifications/resources/updated": "resources.subscribe",
  "notifications/prompts/list_changed": "prompts.listChanged",
};

/**
 * The capability a server must have declared for a method it answers or sends, as a path such as
 * `resources.subscribe`; `undefined` when it needs none.
 *
 * @example
 * ```ts
 * requiredServerCapability("resources/subscribe"); // "resources.subscribe"
 * ```
 */
export function requiredServerCapability(method: string): string | undefined {
  return Object.hasOwn(serverNeeds, method) ? serverNeeds[method as RequestMethod] : undefined;
}

/**
 * The capabilities a client must have declared for a request sent to it, or for a notification it sends;
 * `undefined` when it needs none. Parts of the params count: tools, context, the elicitation mode.
 * Specification: Client > Sampling > Capabilities; Client > Elicitation > Capabilities.
 *
 * @example
 * ```ts
 * requiredClientCapability("elicitation/create", { mode: "url" }); // { elicitation: { url: {} } }
 * ```
 */
export function requiredClientCapability(method: string, params?: JsonObject): ClientCapabilities | undefined {
  switch (method) {
    case "sampling/createMessage":
      return { sampling: samplingNeeds(params) };
    case "elicitation/create":
      return { elicitation: params?.mode === "url" ? { url: {} } : { form: {} } };
    case "roots/list":
      return { roots: {} };
    case "notifications/roots/list_changed":
      return { roots: { listChanged: true } };
    case "notifications/elicitation/complete":
      return { elicitation: { url: {} } };
    default:
      return undefined;
  }
}

/**
 * What of the required capabilities a client did not declare, in the same shape; `undefined` when nothing
 * is missing. Read `{ elicitation: {} }` in a declaration as form mode [ELIC-001].
 *
 * @example
 * ```ts
 * missingClientCapabilities({ sampling: { tools: {} } }, { sampling: {} }); // { sampling: { tools: {} } }
 * ```
 */
export function missingClientCapabilities(
  required: ClientCapabilities,
  declared: ClientCapabilities,
): ClientCapabilities | undefined {
  return missing(required, withElicitationModes(declared));
}

/**
 * Whether a server declared a capability, given as a path. A member that is `false` is not declared.
 *
 * @example
 * ```ts
 * hasServerCapability({ tools: { listChanged: false } }, "tools.listChanged"); // false
 * ```
 */
export function hasServerCapability(declared: ServerCapabilities, path: string): boolean {
  return hasCapability(declared, path);
}

/** As `hasServerCapability`, for what a client declared. `elicitation.form` is implied by an empty `elicitation`. */
export function hasClientCapability(declared: ClientCapabilities, path: string): boolean {
  return hasCapability(withElicitationModes(declared), path);
}

/**
 * Names capabilities as paths, for messages: `sampling.tools`.
 *
 * @example
 * ```ts
 * capabilityPaths({ sampling: { tools: {} }, roots: {} }); // ["sampling.tools", "roots"]
 * ```
 */
export function capabilityPaths(capabilities: ClientCapabilities | ServerCapabilities): string[] {
  return Object.entries(capabilities).flatMap(([name, value]) => pathsBelow(name, value));
}

function samplingNeeds(params: JsonObject | undefined): NonNullable<ClientCapabilities["sampling"]> {
  const usesTools =
    params?.tools !== undefined || params?.toolChoice !== undefined || holdsToolContent(params?.messages);
  const context = params?.includeContext;
  const usesContext = context === "thisServer" || context === "allServers";
  return { ...(usesTools ? { tools: {} } : {}), ...(usesContext ? { context: {} } : {}) };
}

/** Blocks that only make sense to whoever knows tools in sampling [SAMP-003]. */
function holdsToolContent(messages: unknown): boolean {
  return (
    Array.isArray(messages) &&
    messages.some((message: unknown) => {
      const content = isObject(message) ? message.content : undefined;
      return (Array.isArray(content) ? content : [content]).some(
        (block: unknown) => isObject(block) && (block.type === "tool_use" || block.type === "tool_result"),
      );
    })
  );
}

function withElicitationModes(declared: ClientCapabilities): ClientCapabilities {
  const { elicitation } = declared;
  return elicitation !== undefined && elicitation.form === undefined && elicitation.url === undefined
    ? { ...declared, elicitation: { ...elicitation, form: {} } }
    : declared;
}

function missing(required: object, declared: unknown): object | undefined {
  const lacking: { [name: string]: unknown } = {};
  for (const [name, need] of Object.entries(required)) {
    const offered = member(declared, name);
    if (!isDeclared(offered)) {
      lacking[name] = need;
      continue;
    }
    const deeper = isObject(need) ? missing(need, offered) : undefined;
    if (deeper !== undefined) {
      lacking[name] = deeper;
    }
  }
  return Object.keys(lacking).length === 0 ? undefined : lacking;
}

function hasCapability(declared: object, path: string): boolean {
  let value: unknown = declared;
  for (const name of path.split(".")) {
    value = member(value, name);
  }
  return isDeclared(value);
}

function isDeclared(value: unknown): boolean {
  return value === true || isObject(value);
}

function member(holder: unknown, name: string): unknown {
  return isObject(holder) && Object.hasOwn(holder, name) ? holder[name] : undefined;
}

function pathsBelow(path: string, value: unknown): string[] {
  const parts = isObject(value) ? Object.entries(value) : [];
  return parts.length === 0 ? [path] : parts.flatMap(([name, part]) => pathsBelow(`${path}.${name}`, part));
}
