// What TypeScript infers from schemas: compiled, never run.

import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import { expectTypeOf } from "expect-type";
import type { FromJsonSchema, SchemaInput, SchemaOutput, ToJsonSchemaValue } from "parley-mcp/schema";
import { toArgumentSchema } from "parley-mcp/schema";
import * as v from "valibot";
import { z } from "zod";

const object = {
  type: "object",
  properties: {
    city: { type: "string" },
    days: { type: "integer", default: 3 },
    unit: { enum: ["c", "f"] },
    tags: { type: "array", items: { type: "string" } },
    note: { type: ["string", "null"] },
    nested: { type: "object", properties: { on: { type: "boolean" } }, required: ["on"], additionalProperties: false },
  },
  required: ["city"],
} as const;

expectTypeOf<FromJsonSchema<typeof object>>().toEqualTypeOf<{
  city: string;
  days: number;
  unit?: "c" | "f";
  tags?: string[];
  note?: string | null;
  nested?: { on: boolean };
}>();
expectTypeOf<ToJsonSchemaValue<typeof object>>().toEqualTypeOf<{
  city: string;
  days?: number;
  unit?: "c" | "f";
  tags?: string[];
  note?: string | null;
  nested?: { on: boolean };
}>();

type Of<S> = FromJsonSchema<S>;

expectTypeOf<Of<true>>().toBeUnknown();
expectTypeOf<Of<false>>().toBeNever();
expectTypeOf<Of<{ const: 5 }>>().toEqualTypeOf<5>();
expectTypeOf<Of<{ type: "array" }>>().toEqualTypeOf<unknown[]>();
expectTypeOf<Of<{ type: "object" }>>().toEqualTypeOf<{ [name: string]: unknown }>();
expectTypeOf<Of<{ type: "object"; additionalProperties: { type: "number" } }>>().toEqualTypeOf<{
  [name: string]: number;
}>();
expectTypeOf<Of<{ properties: { a: { type: "string" } }; required: ["a", "b"] }>>().toEqualTypeOf<{
  a: string;
  b: unknown;
}>();

const tuple = {
  type: "array",
  prefixItems: [{ type: "string" }, { type: "number" }],
  items: false,
  minItems: 2,
} as const;
expectTypeOf<Of<typeof tuple>>().toEqualTypeOf<[string, number]>();
const looseTuple = { type: "array", prefixItems: [{ type: "string" }], items: { type: "number" } } as const;
expectTypeOf<Of<typeof looseTuple>>().toEqualTypeOf<[string?, ...number[]]>();
const oldTuple = { type: "array", items: [{ type: "string" }], additionalItems: false, minItems: 1 } as const;
expectTypeOf<Of<typeof oldTuple>>().toEqualTypeOf<[string]>();

const union = {
  type: "object",
  oneOf: [
    { properties: { kind: { const: "a" }, x: { type: "number" } }, required: ["kind", "x"] },
    { properties: { kind: { const: "b" }, y: { type: "string" } }, required: ["kind"] },
  ],
} as const;
expectTypeOf<Extract<Of<typeof union>, { kind: "a" }>["x"]>().toEqualTypeOf<number>();
declare const either: Of<typeof union>;
if (either.kind === "b") expectTypeOf(either.y).toEqualTypeOf<string | undefined>();

const joined = {
  properties: { shared: { type: "string" } },
  required: ["shared"],
  allOf: [{ properties: { a: { type: "number" } }, required: ["a"] }, { properties: { b: { type: "boolean" } } }],
} as const;
expectTypeOf<Of<typeof joined>>().toEqualTypeOf<{ shared: string; a: number; b?: boolean }>();

const recursive = {
  $defs: {
    node: {
      type: "object",
      properties: { name: { type: "string" }, next: { $ref: "#/$defs/node" } },
      required: ["name"],
    },
  },
  $ref: "#/$defs/node",
} as const;
declare const node: Of<typeof recursive>;
expectTypeOf(node.name).toEqualTypeOf<string>();
expectTypeOf(node.next?.next?.name).toEqualTypeOf<string | undefined>();

/** A schema known only at run time is not inferred. */
expectTypeOf<Of<{ readonly [keyword: string]: unknown }>>().toBeUnknown();

const zod = z.object({ a: z.number(), when: z.date(), b: z.string().default("q") });
expectTypeOf<SchemaOutput<typeof zod>>().toEqualTypeOf<{ a: number; when: Date; b: string }>();
expectTypeOf<SchemaInput<typeof zod>>().toEqualTypeOf<{ a: number; when: Date; b?: string | undefined }>();

const valibot = toStandardJsonSchema(v.object({ a: v.number(), b: v.optional(v.string(), "q") }));
expectTypeOf<SchemaOutput<typeof valibot>>().toEqualTypeOf<{ a: number; b: string }>();

const arktype = type({ a: "number", "b?": "string" });
expectTypeOf<SchemaOutput<typeof arktype>>().toEqualTypeOf<{ a: number; b?: string }>();

const inline = toArgumentSchema({ type: "object", properties: { a: { type: "number" } }, required: ["a"] });
const parsed = inline.parse({});
if (!(parsed instanceof Promise) && parsed.ok) expectTypeOf(parsed.value).toEqualTypeOf<{ a: number }>();

// @ts-expect-error a Standard Schema that does not describe itself is refused where it is written
toArgumentSchema(v.object({ a: v.number() }));
