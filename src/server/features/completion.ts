/**
 * Completing arguments of prompts and variables of templates.
 *
 * Nothing is suggested for what the caller may not see. Specification: Server > Utilities > Completion.
 */
import { RpcError, rpcCodes } from "../../jsonrpc/error.ts";
import { InvalidParamsError } from "../../protocol/errors.ts";
import type { CompleteRequestParams, CompleteResult } from "../../protocol/types/completion.ts";
import { type MaybePromise, whenDone } from "../maybe.ts";
import { assertScopes, isVisible } from "../requests/access.ts";
import type { AnyContext } from "../requests/context.ts";
import type { Settings } from "../settings.ts";
import { type Completers, runCompleter, toResult } from "./completer.ts";
import type { TemplateItem } from "./item.ts";
import type { Prompts } from "./prompts.ts";
import type { Resources } from "./resources.ts";
import { unknownName } from "./unknown-name.ts";

/** What has arguments that can be completed. */
interface Completed {
  readonly name: string;
  readonly argumentNames: readonly string[];
  readonly completers: Completers<string, never>;
}

/** See the head of this file. */
export class Completion {
  readonly #settings: Settings;
  readonly #prompts: Prompts;
  readonly #resources: Resources;
  #counted: { readonly versions: string; readonly any: boolean } | undefined;

  constructor(settings: Settings, prompts: Prompts, resources: Resources) {
    this.#settings = settings;
    this.#prompts = prompts;
    this.#resources = resources;
  }

  /** Whether anything can be completed; looked up again after changes only. */
  get isOffered(): boolean {
    const versions = `${this.#prompts.registry.version} ${this.#resources.templates.version}`;
    if (this.#counted?.versions !== versions) {
      this.#counted = { versions, any: this.#hasCompleters() };
    }
    return this.#counted.any;
  }

  /** Answers `completion/complete`. */
  complete({ ref, argument, context }: CompleteRequestParams, ctx: AnyContext): MaybePromise<CompleteResult> {
    const name = ref.type === "ref/prompt" ? ref.name : ref.uri;
    return whenDone(this.#settings.limits.completions(ctx, name), (verdict) => {
      if (!verdict.ok) {
        const { retryAfterMs } = verdict;
        throw new RpcError(rpcCodes.internalError, "too many completions: slow down", { data: { retryAfterMs } });
      }
      const found = ref.type === "ref/prompt" ? this.#findPrompt(name, ctx) : this.#findTemplate(name, ctx);
      return whenDone(found, (completed) => this.#run(completed, argument, context?.arguments ?? {}, ctx));
    });
  }

  #run(
    { name, argumentNames, completers }: Completed,
    argument: CompleteRequestParams["argument"],
    siblings: Readonly<Record<string, string>>,
    ctx: AnyContext,
  ): MaybePromise<CompleteResult> {
    if (!argumentNames.includes(argument.name)) {
      const known = argumentNames.join(", ") || "none";
      throw new InvalidParamsError(
        `params.argument.name: expected an argument of ${name} (${known}), got ${JSON.stringify(argument.name)}`,
      );
    }
    const completer = Object.hasOwn(completers, argument.name) ? completers[argument.name] : undefined;
    return completer === undefined
      ? toResult([])
      : runCompleter(completer, argument.value, { ctx: ctx, arguments: siblings });
  }

  #findPrompt(name: string, ctx: AnyContext): MaybePromise<Completed> {
    return whenDone(this.#prompts.find(name, ctx), ({ wire, completers }) => ({
      name,
      argumentNames: (wire.arguments ?? []).map((blank) => blank.name),
      completers,
    }));
  }

  /** A URI names its resource; where a template made it, that template's variables are completed. */
  #findTemplate(uri: string, ctx: AnyContext): MaybePromise<Completed> {
    return whenDone(this.#resources.templateSource.find(uri, ctx), (item) => {
      const template = item ?? this.#templateOf(uri);
      if (template === undefined) {
        throw unknownName("resource template", uri, this.#resources.templateSource.keys());
      }
      return whenDone(isVisible(template.access, ctx), (visible) => {
        if (!visible) {
          throw unknownName("resource template", uri, this.#resources.templateSource.keys());
        }
        assertScopes(template.access, `template ${JSON.stringify(template.wire.name)}`, ctx);
        return { name: uri, argumentNames: template.variableNames, completers: template.completers };
      });
    });
  }

  #templateOf(uri: string): TemplateItem | undefined {
    for (const template of this.#resources.templates.items()) {
      if (template.open(uri) !== undefined) {
        return template;
      }
    }
    return undefined;
  }

  #hasCompleters(): boolean {
    for (const items of [this.#prompts.registry.items(), this.#resources.templates.items()]) {
      for (const { completers } of items) {
        if (Object.keys(completers).length > 0) {
          return true;
        }
      }
    }
    return false;
  }
}
