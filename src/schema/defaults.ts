// Fills in defaults that a schema declares for absent members. Copies only what it changes. Looks where
// a value certainly belongs: members, entries, references, every part of allOf, and the first passing
// branch of anyOf and oneOf; not behind conditions.

import type { Evaluator } from "./evaluate.ts";
import { escapePointer, isRecord, own } from "./json-schema.ts";
import type { SchemaNode } from "./node.ts";
import type { Run } from "./run.ts";

type Fill = (value: unknown, run: Run) => unknown;

/** A default and the subschema that declares it. */
export interface DeclaredDefault {
  readonly node: SchemaNode;
  readonly value: unknown;
}

/** The defaults of one compiled schema. */
export class Defaults {
  /** Every default found, for checking them. */
  readonly declared: DeclaredDefault[] = [];
  readonly #evaluator: Evaluator;
  readonly #fills = new Map<SchemaNode, Fill | undefined>();
  readonly #root: Fill | undefined;

  constructor(evaluator: Evaluator, root: SchemaNode) {
    this.#evaluator = evaluator;
    const fill = this.#of(root);
    this.#root = this.declared.length > 0 ? fill : undefined;
  }

  /** The value with defaults; the same value when there is nothing to add. */
  fill(value: unknown, run: Run): unknown {
    return this.#root === undefined ? value : this.#root(value, run);
  }

  #of(node: SchemaNode): Fill | undefined {
    if (this.#fills.has(node)) return this.#fills.get(node);
    this.#fills.set(node, (value, run) => (fill === undefined ? value : fill(value, run)));
    const { schema } = node;
    const steps = isRecord(schema)
      ? [
          this.#reference(node, own(schema, "$ref")),
          this.#members(node),
          this.#items(node),
          ...this.#everyOf(node),
          ...this.#oneOf(node),
        ]
      : [];
    const fills = steps.filter((step) => step !== undefined);
    const fill: Fill | undefined =
      fills.length === 0 ? undefined : (value, run) => fills.reduce((filled, step) => step(filled, run), value);
    this.#fills.set(node, fill);
    return fill;
  }

  #reference(node: SchemaNode, reference: unknown): Fill | undefined {
    if (typeof reference !== "string") return undefined;
    const fill = this.#of(this.#evaluator.staticTarget(node, "$ref", reference));
    return fill === undefined
      ? undefined
      : (value, run) => {
          run.charge(1);
          run.descend(node.depth + 1);
          const filled = fill(value, run);
          run.ascend(node.depth + 1);
          return filled;
        };
  }

  #members(node: SchemaNode): Fill | undefined {
    const properties = isRecord(node.schema) ? own(node.schema, "properties") : undefined;
    const members = Object.keys(isRecord(properties) ? properties : {}).flatMap((name) => {
      const child = node.children.get(`properties/${escapePointer(name)}`);
      if (child === undefined) return [];
      const preset = isRecord(child.schema) ? own(child.schema, "default") : undefined;
      if (preset !== undefined) this.declared.push({ node: child, value: preset });
      const fill = this.#of(child);
      return preset === undefined && fill === undefined ? [] : [{ name, preset, fill }];
    });
    if (members.length === 0) return undefined;
    return (value, run) => {
      if (!isRecord(value)) return value;
      run.charge(members.length);
      let copy: Record<string, unknown> | undefined;
      for (const { name, preset, fill } of members) {
        const present = own(value, name);
        const member = present === undefined && preset !== undefined ? structuredClone(preset) : present;
        const filled = member === undefined || fill === undefined ? member : fill(member, run);
        if (filled === present) continue;
        copy ??= { ...value };
        Object.defineProperty(copy, name, { value: filled, writable: true, enumerable: true, configurable: true });
      }
      return copy ?? value;
    };
  }

  #items(node: SchemaNode): Fill | undefined {
    const rest = node.children.get("items");
    const prefix = [...node.children]
      .filter(([key]) => /^(?:prefixItems|items)\//u.test(key))
      .map(([, child]) => this.#of(child));
    const fill = rest === undefined ? undefined : this.#of(rest);
    if (fill === undefined && prefix.every((step) => step === undefined)) return undefined;
    return (value, run) => {
      if (!Array.isArray(value)) return value;
      run.charge(value.length);
      const filled = value.map(
        (entry: unknown, position) => (position < prefix.length ? prefix[position] : fill)?.(entry, run) ?? entry,
      );
      return filled.some((entry, position) => entry !== value[position]) ? filled : value;
    };
  }

  #everyOf(node: SchemaNode): (Fill | undefined)[] {
    return [...node.children].filter(([key]) => key.startsWith("allOf/")).map(([, child]) => this.#of(child));
  }

  #oneOf(node: SchemaNode): (Fill | undefined)[] {
    return ["anyOf", "oneOf"].map((keyword) => {
      const branches = [...node.children]
        .filter(([key]) => key.startsWith(`${keyword}/`))
        .map(([key, child]) => ({ key, fill: this.#of(child) }));
      if (branches.every(({ fill }) => fill === undefined)) return undefined;
      return (value, run) => {
        const taken = branches.find(({ key }) => this.#evaluator.child(node, key)?.(value, run, undefined) === true);
        return taken?.fill?.(value, run) ?? value;
      };
    });
  }
}
