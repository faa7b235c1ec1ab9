// What a server's types infer, let through and refuse. Compiled, never run.
import { type } from "arktype";
import { expectTypeOf } from "expect-type";
import type { ToolArguments, ToolName, ToolOutput } from "parley-mcp";
import {
  type Context,
  defineServer,
  error,
  image,
  type Middleware,
  prompt,
  resource,
  runToolLoop,
  template,
  text,
  tool,
  withContext,
} from "parley-mcp/server";
import { z } from "zod";

const sum = z.object({ sum: z.number() });

export const app = defineServer({
  name: "demo",
  version: "1.0.0",
  tools: {
    add: tool({ input: z.object({ a: z.number(), b: z.number().default(1) }), output: sum }, ({ a, b }) => {
      expectTypeOf(a).toEqualTypeOf<number>();
      expectTypeOf(b).toEqualTypeOf<number>();
      return { sum: a + b };
    }),
    forecast: tool(
      {
        input: {
          type: "object",
          required: ["city"],
          properties: { city: { type: "string" }, days: { type: "integer", default: 3 } },
        } as const,
      },
      ({ city, days }) => {
        expectTypeOf(city).toEqualTypeOf<string>();
        expectTypeOf(days).toEqualTypeOf<number>();
        return `${city} ${days}`;
      },
    ),
    ark: tool({ input: type({ n: "number" }) }, ({ n }) => n + 1),
    plain: tool({ description: "takes nothing" }, () => "ok"),
  },
});

type App = typeof app;
expectTypeOf<ToolName<App>>().toEqualTypeOf<"add" | "forecast" | "ark" | "plain">();
expectTypeOf<ToolArguments<App, "add">>().toEqualTypeOf<{ a: number; b?: number | undefined }>();
expectTypeOf<ToolOutput<App, "add">>().toEqualTypeOf<{ sum: number }>();
expectTypeOf<ToolArguments<App, "forecast">>().toEqualTypeOf<{ city: string; days?: number }>();
expectTypeOf<ToolOutput<App, "forecast">>().toEqualTypeOf<undefined>();
expectTypeOf<ToolArguments<App, "ark">>().toEqualTypeOf<{ n: number }>();

// Results are checked against the output schema.
// @ts-expect-error a wrong type
tool({ output: sum }, () => ({ sum: "3" }));
// @ts-expect-error a wrong member
tool({ output: sum }, () => ({ total: 3 }));
// @ts-expect-error nothing
tool({ output: sum }, () => {});
// @ts-expect-error a promise of a wrong type
tool({ output: sum }, async () => ({ sum: "3" }));
// @ts-expect-error content without the structured result
tool({ output: sum }, () => image("AAAA", "image/png"));
tool({ output: sum }, () => error("no such user"));
tool({ output: sum }, async () => (Math.random() > 2 ? error("unlucky") : { sum: 3 }));
tool({ output: sum }, () => ({ content: [text("three"), image("AAAA", "image/png")], structuredContent: { sum: 3 } }));
// @ts-expect-error a full result is checked too
tool({ output: sum }, () => ({ content: [], structuredContent: { sum: "3" } }));
tool({}, () => [text("a"), image("AAAA", "image/png")]);
tool({}, () => ({ any: "value" }));
// A default of the output schema may be left out: it is filled in.
tool({ output: z.object({ a: z.number(), b: z.number().default(1) }) }, () => ({ a: 1 }));

// Arguments that are not there are not offered.
// @ts-expect-error no such argument
tool({ input: z.object({ a: z.number() }) }, ({ b }) => b);
// @ts-expect-error contradictory hints
tool({ annotations: { readOnlyHint: true, destructiveHint: true } }, () => "");
tool({ annotations: { readOnlyHint: true, openWorldHint: false } }, () => "");

// Unions narrow.
tool(
  {
    input: z.discriminatedUnion("kind", [
      z.object({ kind: z.literal("circle"), radius: z.number() }),
      z.object({ kind: z.literal("square"), side: z.number() }),
    ]),
  },
  (shape) => (shape.kind === "circle" ? shape.radius : shape.side),
);

// Templates and prompts know their variables and arguments.
template({ uriTemplate: "note://{folder}/{id}{?rev,tags*}" }, (variables) => {
  expectTypeOf(variables.folder).toEqualTypeOf<string>();
  expectTypeOf(variables.id).toEqualTypeOf<string>();
  expectTypeOf(variables.rev).toEqualTypeOf<string | undefined>();
  expectTypeOf(variables.tags).toEqualTypeOf<readonly string[] | undefined>();
  // @ts-expect-error no such variable
  return String(variables.page);
});
// @ts-expect-error completes no variable
template({ uriTemplate: "note://{id}", complete: { other: [] } }, () => "");
template({ uriTemplate: "note://{id}", complete: { id: ["a"] } }, ({ id }) => id);
prompt({ arguments: { code: { required: true }, style: {} } }, ({ code, style }) => {
  expectTypeOf(code).toEqualTypeOf<string>();
  expectTypeOf(style).toEqualTypeOf<string | undefined>();
  return code;
});
prompt({ arguments: z.object({ level: z.enum(["low", "high"]) }) }, ({ level }) => {
  expectTypeOf(level).toEqualTypeOf<"low" | "high">();
  return level;
});
resource({ uri: "note://a" }, (uri) => uri);
// @ts-expect-error a number is no content
resource({ uri: "note://a" }, () => 5);

// What the person answered is typed by the form.
export async function asks(ctx: Context): Promise<string> {
  const answer = await ctx.elicit("Who?", z.object({ name: z.string(), age: z.number().optional() }));
  if (answer.action === "accept") {
    expectTypeOf(answer.content).toEqualTypeOf<{ name: string; age?: number | undefined }>();
    return answer.content.name;
  }
  // @ts-expect-error nothing was accepted
  return answer.content;
}

export async function formsAsJsonSchema(ctx: Context): Promise<boolean> {
  const answer = await ctx.elicit("Sure?", {
    type: "object",
    properties: { yes: { type: "boolean" } },
    required: ["yes"],
  });
  return answer.action === "accept" && answer.content.yes;
}

// The value of the `context` option reaches every handler, and is demanded of the server.
const make = withContext<{ user: string }>();
const who = make.tool({ allow: (ctx) => ctx.value.user !== "" }, (_args, ctx) => ctx.value.user);
defineServer({
  name: "demo",
  version: "1.0.0",
  context: async ({ auth }) => ({ user: auth?.subject ?? "nobody", more: 1 }),
  tools: { who },
  resources: { me: make.resource({ uri: "me://x" }, (_uri, ctx) => ctx.value.user) },
  prompts: { hi: make.prompt({ arguments: { to: { required: true } } }, ({ to }, ctx) => to + ctx.value.user) },
});
// @ts-expect-error no context option
defineServer({ name: "demo", version: "1.0.0", tools: { who } });
// @ts-expect-error another value
defineServer({ name: "demo", version: "1.0.0", context: () => ({ tenant: "x" }), tools: { who } });

// Layers narrow by method.
export const layer: Middleware = (next) => (message, ctx) => {
  if (message.method === "tools/call") {
    expectTypeOf(message.params.name).toEqualTypeOf<string>();
  }
  if (message.kind === "request" && message.method === "resources/read") {
    expectTypeOf(message.params.uri).toEqualTypeOf<string>();
  }
  return next(message, ctx);
};
defineServer({ name: "demo", version: "1.0.0", middleware: [layer] });

const clock = tool({ description: "Tells the time" }, () => new Date().toISOString());
export const loops = tool({}, async (_args, ctx) => {
  const { result } = await runToolLoop(ctx, { messages: [], maxTokens: 1, tools: { clock } });
  return result.model;
});
export function lost(ctx: Context<undefined>): unknown {
  // @ts-expect-error the tool needs a value that this request does not have
  return runToolLoop(ctx, { messages: [], maxTokens: 1, tools: { who } });
}
