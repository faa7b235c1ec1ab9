// The server fixture as a definition: what the conformance suite calls by name. How it is served is not said here.

import { defineServer } from "parley-mcp/server";
import { askingTools } from "./asking-tools.ts";
import { addChangingTools } from "./changing-lists.ts";
import { contentTools } from "./content-tools.ts";
import { prompts } from "./prompts.ts";
import { resources, templates } from "./resources.ts";
import { roundTools } from "./round-tools.ts";
import { taskTools } from "./task-tools.ts";
import { workingTools } from "./working-tools.ts";

/** See the head of this file. */
export const app = defineServer({
  name: "parley-everything-server",
  version: "1.0.0",
  instructions: "A server to test clients with. Nothing it does has an effect outside it.",
  tools: { ...contentTools, ...workingTools, ...askingTools, ...roundTools, ...taskTools },
  resources,
  templates,
  prompts,
});

addChangingTools(app);
