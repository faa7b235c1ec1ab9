/** Listing and getting prompts. Specification: Server > Prompts. */
import type { GetPromptRequestParams, GetPromptResult } from "../../protocol/types/prompts.ts";
import { Pager } from "../lists/pagination.ts";
import { Registry } from "../lists/registry.ts";
import { SourceChain } from "../lists/source-chain.ts";
import { type MaybePromise, whenDone } from "../maybe.ts";
import { assertScopes, isVisible } from "../requests/access.ts";
import type { AnyContext } from "../requests/context.ts";
import type { Settings } from "../settings.ts";
import { compilePrompt } from "./compile-prompt.ts";
import type { PromptItem } from "./item.ts";
import type { PromptDefinition } from "./prompt.ts";
import { unknownName } from "./unknown-name.ts";

/** See the head of this file. */
export class Prompts {
  readonly registry: Registry<PromptDefinition, PromptItem>;
  readonly source: SourceChain<PromptItem>;
  readonly pager: Pager<PromptItem["wire"], PromptItem>;

  constructor({ pageSize, cache }: Settings) {
    this.registry = new Registry("prompt", compilePrompt);
    this.source = new SourceChain(this.registry);
    this.pager = new Pager("prompts", this.source, pageSize, cache["prompts/list"]);
  }

  /** Answers `prompts/get`. */
  get({ name, arguments: args = {} }: GetPromptRequestParams, ctx: AnyContext): MaybePromise<GetPromptResult> {
    return whenDone(this.find(name, ctx), (item) => item.get(args, ctx));
  }

  /**
   * The prompt with a name, if this caller may have it.
   *
   * @throws InvalidParamsError with the nearest name [PROMPT-009]; RpcError where a scope is missing
   */
  find(name: string, ctx: AnyContext): MaybePromise<PromptItem> {
    return whenDone(this.source.find(name, ctx), (item) => {
      if (item === undefined) {
        throw unknownName("prompt", name, this.source.keys());
      }
      return whenDone(isVisible(item.access, ctx), (visible) => {
        if (!visible) {
          throw unknownName("prompt", name, this.source.keys());
        }
        assertScopes(item.access, `prompt ${JSON.stringify(name)}`, ctx);
        return item;
      });
    });
  }
}
