/**
 * Difference from 2025-03-26: no batches, elicitation, structured results, resource links, titles, `_meta` on types,
 * completion context, and the version header.
 */
import { eachContent, noteText, overBlocks, overSampling } from "./content-steps.ts";
import type { Difference } from "./difference.ts";
import { chain, drop, inEach, type Step, within } from "./shape.ts";

const withoutLastModified: Step = /* @__PURE__ */ within("annotations", drop("lastModified"));
const named: Step = /* @__PURE__ */ chain(drop("title", "_meta"), withoutLastModified);

const linkAsText: Step = (block) =>
  block.type === "resource_link" ? noteText(`resource ${String(block.name)}: ${String(block.uri)}`, block) : block;

const block: Step = /* @__PURE__ */ overBlocks(chain(linkAsText, drop("_meta"), withoutLastModified), drop("_meta"));
const sampling = /* @__PURE__ */ overSampling(block);
const server: Step = /* @__PURE__ */ within("serverInfo", drop("title"));
const client: Step = /* @__PURE__ */ within("clientInfo", drop("title"));

export const revision20250618: Difference = {
  id: "2025-06-18",
  traits: { batching: false, versionHeader: true },
  adds: { client: ["elicitation/create"] },
  downgrade: {
    params: {
      initialize: chain(client, within("capabilities", drop("elicitation"))),
      "completion/complete": chain(drop("context"), within("ref", drop("title"))),
      "sampling/createMessage": sampling.request,
    },
    results: {
      initialize: server,
      "tools/list": inEach("tools", chain(named, drop("outputSchema"))),
      "tools/call": chain(drop("structuredContent"), eachContent("content", block)),
      "resources/list": inEach("resources", named),
      "resources/templates/list": inEach("resourceTemplates", named),
      "resources/read": inEach("contents", drop("_meta")),
      "prompts/list": inEach("prompts", chain(named, inEach("arguments", drop("title")))),
      "prompts/get": inEach("messages", eachContent("content", block)),
      "sampling/createMessage": sampling.result,
      "roots/list": inEach("roots", drop("_meta")),
    },
  },
};
