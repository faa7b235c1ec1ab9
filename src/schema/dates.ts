// Dates on their way through JSON: text that stands for a date becomes a Date before a schema library
// sees it, and a Date in a result becomes text before it is checked and sent.

import type { JsonSchema, JsonSchemaObject } from "./json-schema.ts";
import { isRecord, own, unescapePointer } from "./json-schema.ts";

type Revive = (value: unknown) => unknown;

const dateTime = /^\d{4}-\d\d-\d\d[tT]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:[zZ]|[+-]\d\d:\d\d)$/u;

/** What turns date texts into Dates at the marked places of a schema; `undefined` when it marks none. */
export function dateReviver(schema: JsonSchemaObject, dates: ReadonlySet<object>): Revive | undefined {
  return dates.size === 0 ? undefined : new Reviver(schema, dates).of(schema);
}

class Reviver {
  readonly #root: JsonSchemaObject;
  readonly #dates: ReadonlySet<object>;
  readonly #made = new Map<object, Revive>();

  constructor(root: JsonSchemaObject, dates: ReadonlySet<object>) {
    this.#root = root;
    this.#dates = dates;
  }

  of(schema: unknown): Revive {
    if (!isRecord(schema)) return same;
    const known = this.#made.get(schema);
    if (known !== undefined) return known;
    let revive: Revive = same;
    this.#made.set(schema, (value) => revive(value));
    revive = this.#dates.has(schema) ? toDate : this.#parts(schema);
    return revive;
  }

  #parts(schema: JsonSchemaObject): Revive {
    const properties = own(schema, "properties");
    const members = new Map(
      Object.entries(isRecord(properties) ? properties : {}).map(([name, part]) => [name, this.of(part)]),
    );
    const others = this.of(own(schema, "additionalProperties"));
    const prefix = own(schema, "prefixItems");
    const leading = Array.isArray(prefix) ? prefix.map((part) => this.of(part)) : [];
    const items = this.of(own(schema, "items"));
    const inPlace = ["allOf", "anyOf", "oneOf"].flatMap((keyword) => {
      const branches = own(schema, keyword);
      return Array.isArray(branches) ? branches.map((branch) => this.of(branch)) : [];
    });
    inPlace.push(this.of(this.#target(own(schema, "$ref"))));
    return (value) => {
      const applied = inPlace.reduce((revived, revive) => revive(revived), value);
      if (Array.isArray(applied)) return mapList(applied, (position) => leading[position] ?? items);
      return isRecord(applied) && !(applied instanceof Date)
        ? mapMembers(applied, (name) => members.get(name) ?? others)
        : applied;
    };
  }

  #target(reference: unknown): JsonSchema | undefined {
    if (typeof reference !== "string" || !reference.startsWith("#")) return undefined;
    let value: unknown = this.#root;
    for (const token of reference.slice(1).split("/").slice(1)) {
      value = isRecord(value)
        ? own(value, unescapePointer(token))
        : Array.isArray(value)
          ? value[Number(token)]
          : undefined;
    }
    return isRecord(value) ? value : undefined;
  }
}

const same: Revive = (value) => value;
const toDate: Revive = (value) => (typeof value === "string" && dateTime.test(value) ? new Date(value) : value);

function mapList(list: readonly unknown[], reviver: (position: number) => Revive): readonly unknown[] {
  const revived = list.map((entry, position) => reviver(position)(entry));
  return revived.some((entry, position) => entry !== list[position]) ? revived : list;
}

function mapMembers(
  object: Readonly<Record<string, unknown>>,
  reviver: (name: string) => Revive,
): Readonly<Record<string, unknown>> {
  let copy: Record<string, unknown> | undefined;
  for (const name of Object.keys(object)) {
    const revived = reviver(name)(object[name]);
    if (revived === object[name]) continue;
    copy ??= { ...object };
    Object.defineProperty(copy, name, { value: revived, writable: true, enumerable: true, configurable: true });
  }
  return copy ?? object;
}

/** A value as it goes on the wire: Dates as text. The same value when it holds none. */
export function datesToText(value: unknown): unknown {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (Array.isArray(value)) return mapList(value, () => datesToText);
  return isRecord(value) ? mapMembers(value, () => datesToText) : value;
}
