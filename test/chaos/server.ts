// One node of the fleet: a server whose state is in the shared store. Run by node-fleet.ts with the store's address and
// prefix; says where it listens, and ends by a signal.

import { serve } from "parley-mcp/serve";
import { defineServer, template, tool } from "parley-mcp/server";
import { redis } from "parley-mcp/store/redis";

const [url = "", prefix = ""] = process.argv.slice(2);
const token = { type: "object", properties: { token: { type: "string" } }, required: ["token"] } as const;
const work = {
  type: "object",
  properties: { token: { type: "string" }, steps: { type: "integer" }, stepMs: { type: "integer" } },
  required: ["token", "steps", "stepMs"],
} as const;
const form = { type: "object", properties: { word: { type: "string" } }, required: ["word"] } as const;

/** Waits, or ends early with the call. */
const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });

const app = defineServer({
  name: "chaos",
  version: "1.0.0",
  onDiagnostic: ({ code, message, detail }) => process.stderr.write(`${code}: ${message} ${String(detail ?? "")}\n`),
  store: redis(url, { prefix }),
  tools: {
    echo: tool({ input: token }, ({ token: word }) => word),
    work: tool({ input: work }, async ({ token: word, steps, stepMs }, ctx) => {
      for (let step = 1; step <= steps; step += 1) {
        await pause(stepMs, ctx.signal);
        ctx.progress(step, steps);
      }
      return word;
    }),
    ask: tool({ input: token }, async ({ token: word }, ctx) => {
      // A client may lose its answer on the way; then this call must end all the same.
      const answer = await ctx.elicit(`What about ${word}?`, form, { totalTimeoutMs: 20_000 });
      return answer.action === "accept" ? `${word} ${answer.content.word}` : answer.action;
    }),
    touch: tool({ input: token }, ({ token: name }) => {
      app.notifyResourceUpdated(`chaos://${name}`);
      return name;
    }),
  },
  templates: { thing: template({ uriTemplate: "chaos://{name}" }, ({ name }) => name) },
});

const served = await serve(app, {
  http: {
    port: 0,
    retryMs: 100,
    onDiagnostic: ({ code, message, detail }) => process.stderr.write(`${code}: ${message} ${String(detail ?? "")}\n`),
  },
  drainTimeoutMs: 5_000,
  print: (line) => process.stderr.write(`${line}\n`),
});
process.stdout.write(`listening on ${served.url}\n`);
