/** What is checked of every feature when it is registered, so that mistakes show at once, with name, cause and next step. */
import { UsageError } from "../../base/error.ts";
import { isObject } from "../../base/json.ts";
import { checkAnnotations } from "../../protocol/annotations.ts";
import { parseIcon } from "../../protocol/icons.ts";
import { isReservedMetaKey, parseMetaKey } from "../../protocol/meta-key.ts";
import type { Annotations, Icon, MetaObject } from "../../protocol/types/metadata.ts";
import { SchemaError } from "../../schema/error.ts";
import { type ArgumentSchema, type ArgumentSchemaOptions, toArgumentSchema } from "../../schema/parse.ts";
import type { AcceptedSchema } from "../../schema/standard.ts";
import type { FeatureDescription } from "./feature.ts";

/** The parts of a description that are there, as they go over the wire. */
export function toWireDescription({ title, description, icons, meta }: FeatureDescription): {
  title?: string;
  description?: string;
  icons?: Icon[];
  _meta?: MetaObject;
} {
  return {
    ...(title === undefined ? undefined : { title }),
    ...(description === undefined ? undefined : { description }),
    ...(icons === undefined ? undefined : { icons: [...icons] }),
    ...(meta === undefined ? undefined : { _meta: meta }),
  };
}

/** Fails for something that its maker did not make, such as a bare function. */
export function assertMade(kind: string, name: string, definition: unknown): void {
  if (!isObject(definition) || definition.kind !== kind) {
    const plain = definition === undefined || definition === null ? "nothing" : `a ${typeof definition}`;
    const came = isObject(definition) ? `a definition of kind ${String(definition.kind)}` : plain;
    throw new UsageError(`${kind} ${JSON.stringify(name)}: expected what ${kind}(...) returns, got ${came}`);
  }
}

/** Fails with the feature's name when there is a problem. */
export function assertNoProblem(what: string, ...problems: readonly (string | undefined)[]): void {
  const problem = problems.find((text) => text !== undefined);
  if (problem !== undefined) {
    throw new UsageError(`${what}: ${problem}`);
  }
}

/**
 * Prepares a schema, once.
 *
 * @throws UsageError that names the feature where the schema cannot be used [JSCH-004, JSCH-005]
 */
export function prepareSchema(what: string, schema: AcceptedSchema, options: ArgumentSchemaOptions): ArgumentSchema {
  try {
    return toArgumentSchema(schema, options);
  } catch (error) {
    throw error instanceof SchemaError ? new UsageError(`${what}: ${error.message}`, { cause: error }) : error;
  }
}

/** What is wrong with a description or annotations, if anything. */
export function checkDescription(
  description: FeatureDescription,
  annotations?: Annotations | undefined,
): string | undefined {
  return (
    checkIcons(description.icons, "icons") ??
    checkMeta(description.meta) ??
    (annotations === undefined ? undefined : checkAnnotations(annotations))
  );
}

/** What is wrong with icons, if anything [ICON-001]. */
export function checkIcons(icons: readonly Icon[] | undefined, at: string): string | undefined {
  for (const [index, icon] of (icons ?? []).entries()) {
    const parsed = parseIcon(icon);
    if (!parsed.ok) {
      return `${at}[${index}]: ${parsed.problem}`;
    }
  }
  return undefined;
}

function checkMeta(meta: MetaObject | undefined): string | undefined {
  for (const key of Object.keys(meta ?? {})) {
    const parsed = parseMetaKey(key);
    if (!parsed.ok) {
      return `meta: ${parsed.problem}`;
    }
    if (isReservedMetaKey(key)) {
      return `meta: ${JSON.stringify(key)} is reserved for the protocol; use a prefix of your own, such as com.example/`;
    }
  }
  return undefined;
}
