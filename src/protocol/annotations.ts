/**
 * Reading annotations: what a tool's hints amount to, what to call a thing, which content is for whom.
 * Hints come from the server and prove nothing: do not base decisions on those of an untrusted one.
 *
 * Specification: Server > Tools > Data Types; Server > Resources > Annotations.
 */
import { findMismatch } from "./check.ts";
import { annotations as annotationsCheck } from "./checks/metadata.ts";
import type { Annotations, BaseMetadata, Role } from "./types/metadata.ts";
import type { ToolAnnotations } from "./types/tool.ts";

/** Hints of a tool that changes nothing; it cannot be destructive, and calling it again adds nothing. */
export interface ReadOnlyToolHints {
  title?: string;
  readOnlyHint: true;
  destructiveHint?: false;
  idempotentHint?: true;
  openWorldHint?: boolean;
}

/** Hints of a tool that may change something. */
export interface ChangingToolHints {
  title?: string;
  readOnlyHint?: false;
  destructiveHint?: boolean;
  idempotentHint?: boolean;
  openWorldHint?: boolean;
}

/** The hints a tool's author may give: contradictory ones do not compile. Specification: Server > Tools > Data Types > Tool. */
export type ToolHints = ReadOnlyToolHints | ChangingToolHints;

/** Hints with every question answered. */
export interface EffectiveToolHints {
  readonly readOnly: boolean;
  readonly destructive: boolean;
  readonly idempotent: boolean;
  readonly openWorld: boolean;
}

/**
 * What a tool's hints amount to. Absent ones take their defaults: not read-only, destructive, not
 * idempotent, open world. A read-only tool is never destructive and always idempotent, whatever else it says.
 * Specification: Server > Tools > Data Types > Tool [TOOL-024].
 *
 * @example
 * ```ts
 * toEffectiveHints({ readOnlyHint: true }).destructive; // false
 * ```
 */
export function toEffectiveHints(annotations: ToolAnnotations = {}): EffectiveToolHints {
  const readOnly = annotations.readOnlyHint ?? false;
  return {
    readOnly,
    destructive: !readOnly && (annotations.destructiveHint ?? true),
    idempotent: readOnly || (annotations.idempotentHint ?? false),
    openWorld: annotations.openWorldHint ?? true,
  };
}

/**
 * What to call a tool, prompt, resource or program in a user interface: its title, else the title in a
 * tool's annotations, else its name. Specification: Schema > ToolAnnotations [BASE-024].
 *
 * @example
 * ```ts
 * toDisplayName({ name: "add", annotations: { title: "Add numbers" } }); // "Add numbers"
 * ```
 */
export function toDisplayName(thing: BaseMetadata & { annotations?: { title?: string } }): string {
  return thing.title || thing.annotations?.title || thing.name;
}

/**
 * Judges annotations of content or resources. Answers `undefined` when they are fine, else what is wrong:
 * audience holds only roles, priority lies from 0 to 1, the date is ISO 8601.
 * Specification: Server > Resources > Annotations [RES-012].
 *
 * @param at - what the annotations are called in the message
 *
 * @example
 * ```ts
 * checkAnnotations({ priority: 2 }); // "annotations.priority: expected a number from 0 to 1, got 2"
 * ```
 */
export function checkAnnotations(annotations: unknown, at = "annotations"): string | undefined {
  const mismatch = findMismatch(annotationsCheck, annotations, at);
  if (mismatch !== undefined) {
    return mismatch;
  }
  const { lastModified } = annotations as Annotations;
  return lastModified === undefined || isIsoMoment(lastModified)
    ? undefined
    : `${at}.lastModified: expected an ISO 8601 moment such as 2026-01-31T12:00:00Z, got ${JSON.stringify(lastModified)}`;
}

/**
 * The annotated things meant for one audience. Without an audience a thing is meant for everyone.
 * Specification: Server > Resources > Annotations [RES-013].
 *
 * @example
 * ```ts
 * filterByAudience([{ annotations: { audience: ["assistant"] } }], "user"); // []
 * ```
 */
export function filterByAudience<T extends Annotated>(things: readonly T[], audience: Role): T[] {
  return things.filter((thing) => thing.annotations?.audience?.includes(audience) ?? true);
}

/**
 * The annotated things by falling priority or by falling date, those without one last; equal ones keep
 * their order. Specification: Server > Resources > Annotations [RES-013].
 *
 * @example
 * ```ts
 * sortByAnnotation([{ annotations: { priority: 0 } }, { annotations: { priority: 1 } }], "priority");
 * ```
 */
export function sortByAnnotation<T extends Annotated>(things: readonly T[], by: "priority" | "lastModified"): T[] {
  return things.toSorted((first, second) => rank(second, by) - rank(first, by));
}

/** Anything with annotations. */
export interface Annotated {
  annotations?: Annotations;
}

/** Below every real rank, and finite, so that two absent ranks are equal. */
const unranked = Number.MIN_SAFE_INTEGER;

function rank({ annotations }: Annotated, by: "priority" | "lastModified"): number {
  const value = by === "priority" ? annotations?.priority : Date.parse(annotations?.lastModified ?? "");
  return value === undefined || Number.isNaN(value) ? unranked : value;
}

function isIsoMoment(text: string): boolean {
  return (
    /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})?)?$/.test(text) &&
    !Number.isNaN(Date.parse(text))
  );
}
