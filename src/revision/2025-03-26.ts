/** Difference from 2024-11-05: batches, audio, tool annotations, messages with progress, a completions capability. */
import type { JsonObject } from "../jsonrpc/message.ts";
import { eachContent, noteText, overSampling } from "./content-steps.ts";
import type { Difference } from "./difference.ts";
import { drop, fill, inEach, type Step, within } from "./shape.ts";

const withoutAudio: Step = (block) =>
  block.type === "audio" ? noteText(`audio (${String(block.mimeType)})`, block) : block;

const samplingWithoutAudio = /* @__PURE__ */ overSampling(withoutAudio);

export const revision20250326: Difference = {
  id: "2025-03-26",
  traits: { batching: true },
  downgrade: {
    params: {
      "notifications/progress": drop("message"),
      "sampling/createMessage": samplingWithoutAudio.request,
    },
    results: {
      initialize: within("capabilities", drop("completions")),
      "tools/list": inEach("tools", drop("annotations")),
      "tools/call": eachContent("content", withoutAudio),
      "prompts/get": inEach("messages", eachContent("content", withoutAudio)),
      "sampling/createMessage": samplingWithoutAudio.result,
    },
  },
  upgrade: {
    results: {
      // Completion was not announced before: only asking shows whether a server completes.
      initialize: within("capabilities", fill({ completions: {} } satisfies JsonObject)),
    },
  },
};
