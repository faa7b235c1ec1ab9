/**
 * The rule for tool names, with a reason when a name breaks it.
 *
 * What happens then, a warning or a refusal, is decided where tools are registered. Uniqueness is not checked here.
 */

/** Most characters a tool name may have. Specification: Server Features > Tools > Tool Names. */
const maxToolNameLength = 128;

/**
 * Why a text is no proper tool name.
 *
 * Specification: Server Features > Tools > Tool Names (TOOL-021).
 *
 * @param name - the name as the author wrote it
 * @returns what was expected and what came, or `undefined` when the name is proper
 *
 * @example
 * ```ts
 * import { checkToolName } from "parley-mcp";
 *
 * checkToolName("admin.tools.list"); // undefined
 * checkToolName("read file"); // names the space, and where it stands
 * ```
 */
export function checkToolName(name: string): string | undefined {
  if (name.length === 0) {
    return `A tool name needs 1 to ${maxToolNameLength} characters; this one is empty.`;
  }
  const strange = /[^A-Za-z0-9_.-]/u.exec(name);
  if (strange !== null) {
    return (
      `A tool name may hold only the letters A-Z and a-z, digits, "_", "-" and "."; ` +
      `${quote(name)} has ${JSON.stringify(strange[0])} at position ${strange.index}.`
    );
  }
  if (name.length > maxToolNameLength) {
    return `A tool name needs 1 to ${maxToolNameLength} characters; ${quote(name)} has ${name.length}.`;
  }
  return undefined;
}

function quote(name: string): string {
  return JSON.stringify(name.length > 40 ? `${name.slice(0, 40)}…` : name);
}
