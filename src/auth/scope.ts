/**
 * Scopes as lists: read from the text that carries them, written, joined and compared.
 *
 * Which scopes to ask for is decided elsewhere. Specification: RFC 6749 section 3.3.
 */

/**
 * The scopes in a text, each once, in order. What is no scope token is left out.
 *
 * @param text - scopes divided by spaces
 */
export function parseScope(text: string): string[] {
  return unionScopes(text.split(/\s/));
}

/** Scopes as one text, each once. What is no scope token is left out. */
export function encodeScope(scopes: readonly string[]): string {
  return unionScopes(scopes).join(" ");
}

/** All scopes of several lists, each once, in order of first appearance. What is no scope token is left out. */
export function unionScopes(...lists: readonly (readonly string[])[]): string[] {
  return [...new Set(lists.flat())].filter(isScope);
}

/** Whether every scope that is needed is among those granted. */
export function includesAll(granted: readonly string[], needed: readonly string[]): boolean {
  const held = new Set(granted);
  return needed.every((scope) => held.has(scope));
}

/** Whether a text is one scope token: printable ASCII without space, double quote and backslash. */
export function isScope(text: string): boolean {
  return /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(text);
}
