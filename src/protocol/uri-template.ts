/**
 * RFC 6570 URI templates: parsing with bounds, and expansion.
 *
 * Taking values back out of a URI is uri-template-match.ts. The library expands one expression at a time here, so
 * that what it leaves unescaped against the RFC can be escaped without touching the literals around it.
 */

import { StdUriTemplate } from "@std-uritemplate/std-uritemplate";

import { UsageError } from "../base/error.ts";

/** Most characters of a template. */
export const maxTemplateLength = 4096;

/** Most expressions of a template. */
export const maxTemplateExpressions = 12;

/** Most variables of a template, in all its expressions. */
export const maxTemplateVariables = 32;

/** The sign behind an opening brace; empty for simple expansion. */
export type UriTemplateOperator = "" | "+" | "#" | "." | "/" | ";" | "?" | "&";

/** One variable of an expression. */
export interface UriTemplateVariable {
  readonly name: string;
  /** Whether the variable carries `*`: each member of a list stands by itself. */
  readonly explode: boolean;
  /** The most characters that are taken from the value, where the variable carries `:n`. */
  readonly prefixLength?: number;
}

/** What stands between two braces. */
export interface UriTemplateExpression {
  readonly kind: "expression";
  readonly operator: UriTemplateOperator;
  readonly variables: readonly UriTemplateVariable[];
}

/** What stands outside braces, as it appears in a URI: other than ASCII is percent-encoded. */
export interface UriTemplateLiteral {
  readonly kind: "literal";
  readonly text: string;
}

/** A template taken apart. */
export interface UriTemplate {
  /** The template as it was written. */
  readonly text: string;
  readonly parts: readonly (UriTemplateLiteral | UriTemplateExpression)[];
  /** Each variable's name once, in order of appearance. */
  readonly variableNames: readonly string[];
}

/** A parsed template, or why the text is none. */
export type UriTemplateResult =
  | { readonly ok: true; readonly template: UriTemplate }
  | { readonly ok: false; readonly problem: string };

/** What a single value may be. */
export type UriTemplateScalar = string | number | boolean;

/** What a variable may stand for when a template is expanded; `undefined`, `null` and empty lists leave it out. */
export type UriTemplateInput =
  | UriTemplateScalar
  | readonly UriTemplateScalar[]
  | Readonly<Record<string, UriTemplateScalar>>
  | null
  | undefined;

/**
 * Takes a template apart.
 *
 * Specification: Server Features > Resources > Resource Templates; RFC 6570, section 2.
 *
 * @param text - at most 4,096 characters, 12 expressions and 32 variables
 *
 * @example
 * ```ts
 * import { parseUriTemplate } from "parley-mcp/client";
 *
 * const parsed = parseUriTemplate("note://{folder}/{id}{?revision}");
 * if (!parsed.ok) throw new Error(parsed.problem);
 * ```
 */
export function parseUriTemplate(text: string): UriTemplateResult {
  if (text.length > maxTemplateLength) {
    return refuse(`A URI template may have ${maxTemplateLength} characters; this one has ${text.length}.`);
  }
  const parts: (UriTemplateLiteral | UriTemplateExpression)[] = [];
  const names: string[] = [];
  for (let at = 0; at < text.length; ) {
    const isExpression = text[at] === "{";
    const end = isExpression ? text.indexOf("}", at) : text.indexOf("{", at);
    if (isExpression && end === -1) {
      return refuse(`The brace at position ${at} of ${quote(text)} is never closed.`);
    }
    const stop = end === -1 ? text.length : end;
    const part = isExpression ? parseExpression(text.slice(at + 1, stop), at) : parseLiteral(text.slice(at, stop), at);
    if (typeof part === "string") {
      return refuse(`${part} The template is ${quote(text)}.`);
    }
    parts.push(part);
    if (part.kind === "expression") {
      names.push(...part.variables.map((variable) => variable.name));
    }
    at = isExpression ? stop + 1 : stop;
  }
  if (names.length > maxTemplateVariables) {
    return refuse(`A URI template may have ${maxTemplateVariables} variables; this one has ${names.length}.`);
  }
  const expressions = parts.filter((part) => part.kind === "expression").length;
  if (expressions > maxTemplateExpressions) {
    return refuse(`A URI template may have ${maxTemplateExpressions} expressions; this one has ${expressions}.`);
  }
  return { ok: true, template: { text, parts, variableNames: [...new Set(names)] } };
}

/**
 * Puts values into a template. Values without a variable are left aside, as the RFC has it.
 *
 * @param template - what {@link parseUriTemplate} gave
 * @param values - by variable name
 * @throws UsageError when a value is of no accepted type, not well-formed Unicode, or a list or map under `:n`
 *
 * @example
 * ```ts
 * import { expandUriTemplate, parseUriTemplate } from "parley-mcp/client";
 *
 * const parsed = parseUriTemplate("note://{id}{?tags*}");
 * if (parsed.ok) expandUriTemplate(parsed.template, { id: "a b", tags: ["x", "y"] }); // note://a%20b?tags=x&tags=y
 * ```
 */
export function expandUriTemplate(template: UriTemplate, values: Readonly<Record<string, UriTemplateInput>>): string {
  return template.parts.map((part) => (part.kind === "literal" ? part.text : expandExpression(part, values))).join("");
}

function expandExpression(
  { operator, variables }: UriTemplateExpression,
  values: Readonly<Record<string, UriTemplateInput>>,
): string {
  const reserved = operator === "+" || operator === "#";
  const substitutions: Record<string, UriTemplateInput> = Object.create(null);
  const specs = variables.map((variable, index) => {
    const value = checkValue(variable, Object.hasOwn(values, variable.name) ? values[variable.name] : undefined);
    const star = variable.explode ? "*" : "";
    if (reserved) {
      // The library loses a "%" before another one, so stray ones are escaped here; that is why the prefix is cut here.
      substitutions[`v${index}`] = mapScalars(value, (text) => escapeStray(cut(text, variable.prefixLength)));
      return `v${index}${star}`;
    }
    substitutions[variable.name] = value;
    return `${variable.name}${variable.prefixLength === undefined ? star : `:${variable.prefixLength}`}`;
  });
  const text = StdUriTemplate.expand(`{${operator}${specs.join(",")}}`, substitutions);
  return reserved
    ? text.replace(/[^A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]/gu, encodeURIComponent)
    : text.replace(/['()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** The value with every scalar as text. */
function checkValue(variable: UriTemplateVariable, value: UriTemplateInput): UriTemplateInput {
  if (value === undefined || value === null) {
    return undefined;
  }
  if (typeof value === "object" && variable.prefixLength !== undefined) {
    throw new UsageError(
      `"${variable.name}:${variable.prefixLength}" takes the start of a single value, not of a list or map.`,
    );
  }
  return mapScalars(
    value,
    (text) => {
      if (/\p{Surrogate}/u.test(text)) {
        throw new UsageError(`The value of "${variable.name}" has half a surrogate pair, which no URI can carry.`);
      }
      return text;
    },
    variable.name,
  );
}

function mapScalars(value: UriTemplateInput, change: (text: string) => string, name = ""): UriTemplateInput {
  const toText = (scalar: unknown): string => {
    if (typeof scalar !== "string" && typeof scalar !== "number" && typeof scalar !== "boolean") {
      throw new UsageError(
        `A template variable takes a string, a number, a boolean, or a list or map of those; ` +
          `"${name}" got ${scalar === null ? "null" : typeof scalar}.`,
      );
    }
    return change(String(scalar));
  };
  if (value === undefined || value === null) {
    return undefined;
  }
  if (Array.isArray(value)) {
    return value.map(toText);
  }
  if (typeof value === "object") {
    const entries = Object.entries(value).map(([key, member]) => [change(key), toText(member)]);
    return Object.assign(Object.create(null), Object.fromEntries(entries));
  }
  return toText(value);
}

function cut(text: string, length: number | undefined): string {
  return length === undefined ? text : [...text].slice(0, length).join("");
}

function escapeStray(text: string): string {
  return text.replace(/%(?![0-9A-Fa-f]{2})/g, "%25");
}

function parseExpression(inside: string, at: number): UriTemplateExpression | string {
  const operator = /^[+#./;?&]/.exec(inside)?.[0] ?? "";
  const variables: UriTemplateVariable[] = [];
  for (const spec of inside.slice(operator.length).split(",")) {
    const [, name, modifier] = /^((?:[A-Za-z0-9_.]|%[0-9A-Fa-f]{2})+)(\*|:[1-9][0-9]{0,3})?$/.exec(spec) ?? [];
    if (name === undefined || name.startsWith(".") || name.endsWith(".") || name.includes("..")) {
      return (
        `The expression at position ${at} needs names of letters, digits, "_", inner dots and escapes, ` +
        `each with "*", ":1" to ":9999" or nothing behind it; it has ${JSON.stringify(spec)}.`
      );
    }
    const prefix = modifier?.startsWith(":") ? { prefixLength: Number(modifier.slice(1)) } : {};
    variables.push({ name, explode: modifier === "*", ...prefix });
  }
  return { kind: "expression", operator: operator as UriTemplateOperator, variables };
}

function parseLiteral(literal: string, at: number): UriTemplateLiteral | string {
  const strange = /%(?![0-9A-Fa-f]{2})|[\p{Cc}\p{Surrogate} "<>\\^`{|}]/u.exec(literal);
  if (strange !== null) {
    return `A template holds ${JSON.stringify(strange[0])} only percent-encoded; it stands at position ${at + strange.index}.`;
  }
  return { kind: "literal", text: literal.replace(/[^\x21-\x7e]+/gu, encodeURIComponent) };
}

function refuse(problem: string): UriTemplateResult {
  return { ok: false, problem };
}

function quote(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}
