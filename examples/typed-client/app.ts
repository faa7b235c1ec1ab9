// A server whose type is all the client needs to know.

import { defineServer, error, tool } from "parley-mcp/server";
import { z } from "zod";

const stock = new Map([
  ["apple", 3],
  ["pear", 0],
]);

export const app = defineServer({
  name: "shop",
  version: "1.0.0",
  tools: {
    lookUp: tool(
      {
        description: "How many of an article are there",
        input: z.object({ article: z.string() }),
        output: z.object({ article: z.string(), count: z.number().int() }),
        annotations: { readOnlyHint: true },
      },
      ({ article }) => {
        const count = stock.get(article);
        return count === undefined
          ? error(`no article ${article}; there are ${[...stock.keys()].join(", ")}`)
          : { article, count };
      },
    ),
  },
});
