// Reads a JSON Schema written `as const` at the type level: what its values look like. Bounded in depth,
// beyond which values are `unknown`, so that no schema makes the compiler give up. No code at run time.

import type { StandardSchemaV1 } from "@standard-schema/spec";

/** Whose view a type is: the sender's, who may leave out what has a default, or the handler's, who finds it there. */
type View = "sent" | "parsed";

/** Levels still allowed, as a number that counts down. */
type Levels = [never, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9];

type Less<Depth extends number> = Levels[Depth] extends infer Next extends number ? Next : 0;

type Simplify<T> = T extends object ? { [Key in keyof T]: T[Key] } : T;

/** The value types of a JSON Schema `S`. */
type Read<S, V extends View, Root, Depth extends number> = [Depth] extends [0]
  ? unknown
  : S extends false
    ? never
    : S extends { readonly const: infer Value }
      ? Value
      : S extends { readonly enum: infer Values extends readonly unknown[] }
        ? Values[number]
        : S extends { readonly $ref: infer Reference }
          ? Read<Target<Reference, Root>, V, Root, Less<Depth>>
          : Joined<Typed<S, V, Root, Depth>, Combined<S, V, Root, Depth>>;

/** Two views of one value; `unknown` adds nothing, and two objects become one. */
type Joined<A, B> = unknown extends A ? B : unknown extends B ? A : B extends unknown ? Simplify<A & B> : never;

type Target<Reference, Root> = Reference extends "#"
  ? Root
  : Reference extends `#/$defs/${infer Name}`
    ? Root extends { readonly $defs: infer Defs }
      ? Name extends keyof Defs
        ? Defs[Name]
        : true
      : true
    : Reference extends `#/definitions/${infer Name}`
      ? Root extends { readonly definitions: infer Defs }
        ? Name extends keyof Defs
          ? Defs[Name]
          : true
        : true
      : true;

type Combined<S, V extends View, Root, Depth extends number> = Joined<
  S extends { readonly anyOf: infer Branches extends readonly unknown[] } ? Either<Branches, V, Root, Depth> : unknown,
  Joined<
    S extends { readonly oneOf: infer Branches extends readonly unknown[] }
      ? Either<Branches, V, Root, Depth>
      : unknown,
    S extends { readonly allOf: infer Branches extends readonly unknown[] } ? Every<Branches, V, Root, Depth> : unknown
  >
>;

type Either<Branches extends readonly unknown[], V extends View, Root, Depth extends number> = {
  [Position in keyof Branches]: Read<Branches[Position], V, Root, Less<Depth>>;
}[number];

type Every<
  Branches extends readonly unknown[],
  V extends View,
  Root,
  Depth extends number,
> = Branches extends readonly [infer First, ...infer Rest]
  ? Joined<Read<First, V, Root, Less<Depth>>, Every<Rest, V, Root, Depth>>
  : unknown;

type Typed<S, V extends View, Root, Depth extends number> = S extends { readonly type: infer Type }
  ? Type extends readonly unknown[]
    ? OfType<Type[number], S, V, Root, Depth>
    : OfType<Type, S, V, Root, Depth>
  : S extends { readonly properties: unknown }
    ? ObjectOf<S, V, Root, Depth>
    : unknown;

type OfType<Type, S, V extends View, Root, Depth extends number> = Type extends "string"
  ? string
  : Type extends "number" | "integer"
    ? number
    : Type extends "boolean"
      ? boolean
      : Type extends "null"
        ? null
        : Type extends "object"
          ? ObjectOf<S, V, Root, Depth>
          : Type extends "array"
            ? ListOf<S, V, Root, Depth>
            : unknown;

type PropertiesOf<S> = S extends { readonly properties: infer Properties } ? Properties : Record<never, never>;
type RequiredOf<S> = S extends { readonly required: infer Names extends readonly unknown[] } ? Names[number] : never;

/** Members that are certainly there: required ones, and for the handler those with a default. */
type Certain<S, V extends View> = {
  [Name in keyof PropertiesOf<S>]: Name extends RequiredOf<S>
    ? Name
    : V extends "parsed"
      ? PropertiesOf<S>[Name] extends { readonly default: unknown }
        ? Name
        : never
      : never;
}[keyof PropertiesOf<S>];

type ObjectOf<S, V extends View, Root, Depth extends number> = Simplify<
  { -readonly [Name in Certain<S, V>]: Read<PropertiesOf<S>[Name], V, Root, Less<Depth>> } & {
    -readonly [Name in Exclude<keyof PropertiesOf<S>, Certain<S, V>>]?: Read<
      PropertiesOf<S>[Name],
      V,
      Root,
      Less<Depth>
    >;
  } & { [Name in Exclude<RequiredOf<S>, keyof PropertiesOf<S>> & string]: unknown } & OtherMembers<S, V, Root, Depth>
>;

type OtherMembers<S, V extends View, Root, Depth extends number> = S extends {
  readonly additionalProperties: infer Other;
}
  ? Other extends false
    ? unknown
    : S extends { readonly properties: unknown }
      ? { [name: string]: unknown }
      : { [name: string]: Read<Other, V, Root, Less<Depth>> }
  : S extends { readonly properties: unknown }
    ? unknown
    : { [name: string]: unknown };

type ListOf<S, V extends View, Root, Depth extends number> = S extends {
  readonly prefixItems: infer Prefix extends readonly unknown[];
}
  ? TupleOf<Prefix, S, S extends { readonly items: infer Rest } ? Rest : true, V, Root, Depth>
  : S extends { readonly items: infer Items }
    ? Items extends readonly unknown[]
      ? TupleOf<Items, S, S extends { readonly additionalItems: infer Rest } ? Rest : true, V, Root, Depth>
      : Read<Items, V, Root, Less<Depth>>[]
    : unknown[];

type TupleOf<Prefix extends readonly unknown[], S, Rest, V extends View, Root, Depth extends number> = [
  ...Sized<{ -readonly [Position in keyof Prefix]: Read<Prefix[Position], V, Root, Less<Depth>> }, S>,
  ...(Rest extends false ? [] : Read<Rest, V, Root, Less<Depth>>[]),
];

/** Entries may be missing unless `minItems` asks for all of them. */
type Sized<Entries extends readonly unknown[], S> = S extends { readonly minItems: Entries["length"] }
  ? Entries
  : Partial<Entries>;

/**
 * What a handler gets for a JSON Schema written `as const`: members with a default are always there.
 * Understands types, properties, required, default, enum, const, items, prefixItems, the combinations,
 * local references and additionalProperties, ten levels deep; the rest is `unknown`.
 *
 * @example
 * ```ts
 * import type { FromJsonSchema } from "parley-mcp/schema";
 *
 * const schema = {
 *   type: "object",
 *   properties: { city: { type: "string" }, days: { type: "integer", default: 3 } },
 *   required: ["city"],
 * } as const;
 * const args: FromJsonSchema<typeof schema> = { city: "Oslo", days: 3 };
 * ```
 */
export type FromJsonSchema<S> = Read<S, "parsed", S, 10>;

/**
 * What a caller sends for a JSON Schema written `as const`: members with a default may be left out.
 *
 * @example
 * ```ts
 * import type { ToJsonSchemaValue } from "parley-mcp/schema";
 *
 * const schema = { type: "object", properties: { days: { type: "integer", default: 3 } } } as const;
 * const sent: ToJsonSchemaValue<typeof schema> = {};
 * ```
 */
export type ToJsonSchemaValue<S> = Read<S, "sent", S, 10>;

/**
 * What a handler gets for any accepted schema.
 *
 * @example
 * ```ts
 * import type { SchemaOutput } from "parley-mcp/schema";
 * import { z } from "zod";
 *
 * const schema = z.object({ days: z.number().default(3) });
 * const args: SchemaOutput<typeof schema> = { days: 3 };
 * ```
 */
export type SchemaOutput<S> = S extends StandardSchemaV1<infer _Input, infer Output> ? Output : FromJsonSchema<S>;

/**
 * What a caller sends for any accepted schema.
 *
 * @example
 * ```ts
 * import type { SchemaInput } from "parley-mcp/schema";
 * import { z } from "zod";
 *
 * const schema = z.object({ days: z.number().default(3) });
 * const sent: SchemaInput<typeof schema> = {};
 * ```
 */
export type SchemaInput<S> = S extends StandardSchemaV1<infer Input, infer _Output> ? Input : ToJsonSchemaValue<S>;
