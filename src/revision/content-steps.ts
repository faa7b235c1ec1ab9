/** Steps over content blocks, which stand alone, in arrays and inside sampling messages. */
import { isObject } from "../base/json.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import { chain, inEach, type Step } from "./shape.ts";

/** Applies a step to the block, or to each block of the array, at a member. */
export function eachContent(name: string, step: Step): Step {
  const each = inEach(name, step);
  return (value) => {
    const content = value[name];
    if (!isObject(content)) {
      return each(value);
    }
    const next = step(content);
    return next === content ? value : { ...value, [name]: next };
  };
}

/** The same over a sampling request's messages and over a sampling result. */
export function overSampling(step: Step): { readonly request: Step; readonly result: Step } {
  const result = eachContent("content", step);
  return { request: inEach("messages", result), result };
}

/** A text block that stands where a block was that the peer's revision does not know. */
export function noteText(what: string, block: JsonObject): JsonObject {
  const { annotations } = block;
  return { type: "text", text: `[${what}]`, ...(annotations === undefined ? undefined : { annotations }) };
}

/** Applies a step to embedded resource contents at `resource`, and another to every block. */
export function overBlocks(block: Step, contents: Step): Step {
  return chain(block, (value) => {
    if (value.type !== "resource" || !isObject(value.resource)) {
      return value;
    }
    const next = contents(value.resource);
    return next === value.resource ? value : { ...value, resource: next };
  });
}
