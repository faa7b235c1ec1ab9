/**
 * Asking the person to open a page, and telling the right client when what happens there is done.
 *
 * Acceptance is consent to open the page and says nothing about what comes of it. Whoever opens the page must be
 * verified to be the user who was asked: that is for the page. Specification: Client > Elicitation > URL Mode.
 */
import type { OnDiagnostic } from "../../base/diagnostic.ts";
import { UsageError } from "../../base/error.ts";
import { createId } from "../../base/id.ts";
import { isLoopbackHost, parseUrl } from "../../base/url.ts";
import { hasClientCapability } from "../../protocol/capabilities.ts";
import { UrlElicitationRequiredError } from "../../protocol/errors.ts";
import type { ElicitRequestURLParams } from "../../protocol/types/elicitation.ts";
import type { QuestionOptions, UrlOutcome, UrlRequest } from "../requests/context.ts";
import type { ServerSession } from "../sessions/session.ts";
import { type AskTarget, ask, assertAskable, humanTimeouts } from "./input.ts";
import type { OpenElicitations } from "./open-elicitations.ts";
import { questionKey } from "./question-key.ts";

type UrlParams = Required<Pick<ElicitRequestURLParams, "mode" | "message" | "url" | "elicitationId">>;

/** See the head of this file. Which are open, and whose, is open-elicitations.ts. */
export class UrlElicitations {
  readonly #open: OpenElicitations;
  readonly #onDiagnostic: OnDiagnostic;

  constructor(open: OpenElicitations, onDiagnostic: OnDiagnostic) {
    this.#open = open;
    this.#onDiagnostic = onDiagnostic;
  }

  /**
   * Asks to open a page.
   *
   * @throws MissingCapabilityError where the client cannot, with nothing sent [ELIC-002]
   * @throws UsageError for a URL that may not be opened, or an id in use [ELIC-017, ELIC-018]
   */
  async ask(target: AskTarget, request: UrlRequest, options: QuestionOptions): Promise<UrlOutcome> {
    const params = this.#toParams(request);
    if (target.revision?.traits.serverRequests === false) {
      return this.#askInRounds(target, params, request.elicitationId, options);
    }
    assertAskable(target, { method: "elicitation/create", params });
    const { elicitationId } = params;
    await this.#register(elicitationId, target.live);
    const { action } = await ask(target, "elicitation/create", params, { ...humanTimeouts, ...options });
    if (action !== "accept") {
      await this.#open.remove(elicitationId);
    }
    return { action, elicitationId, complete: async () => void (await this.complete(elicitationId)) };
  }

  /**
   * Asks to open the pages that an error names, until they need not be opened any more. What comes of a page, whoever
   * threw the error finds out by itself when it runs again [M-ELIC-003].
   *
   * @returns when the person will not open one of them
   * @throws Suspension while there are questions to ask; MissingCapabilityError where the client has no URL mode
   */
  async askUntilRefused(target: AskTarget, error: UrlElicitationRequiredError): Promise<void> {
    assertElicitations(error);
    const pages = error.elicitations.map((elicitation) => toEmbedded(this.#toParams(elicitation)));
    for (;;) {
      const answers = await Promise.all(pages.map((page) => ask(target, "elicitation/create", page, {})));
      if (answers.some(({ action }) => action !== "accept")) {
        return;
      }
    }
  }

  /** No id travels and nothing is said when a page has done its part: whoever asked sees for itself [M-ELIC-002]. */
  async #askInRounds(
    target: AskTarget,
    params: UrlParams,
    elicitationId: string | undefined,
    options: QuestionOptions,
  ): Promise<UrlOutcome> {
    const page = toEmbedded(params);
    const { action } = await ask(target, "elicitation/create", page, options);
    return {
      action,
      elicitationId: elicitationId ?? questionKey({ method: "elicitation/create", params: { ...page } }),
      complete: async () => {
        this.#onDiagnostic({
          code: "MCP_D_ELICITATION_COMPLETE",
          message:
            "elicitUrl: the client is not told of completion, as the revision it speaks has no such notification",
        });
      },
    };
  }

  /**
   * Tells the client that owns an elicitation, and no other, that it is complete [ELIC-025].
   *
   * @returns false where none is open under this id
   */
  complete(elicitationId: string): Promise<boolean> {
    return this.#open.complete(elicitationId);
  }

  /**
   * An error that says which pages must be opened first, fit to be sent: every entry is checked and registered.
   *
   * @returns `undefined` where this client has no URL mode, so that the error may not be sent to it [ELIC-002]
   * @throws UsageError where it names no elicitation, or one that is not by URL [ELIC-029]
   */
  async prepare(
    error: UrlElicitationRequiredError,
    live: ServerSession | undefined,
  ): Promise<UrlElicitationRequiredError | undefined> {
    if (live === undefined || !hasClientCapability(live.capabilities, "elicitation.url")) {
      return undefined;
    }
    assertElicitations(error);
    const elicitations = error.elicitations.map((elicitation) => this.#toParams(elicitation));
    for (const { elicitationId } of elicitations) {
      await this.#register(elicitationId, live);
    }
    return new UrlElicitationRequiredError(elicitations, error.message);
  }

  async #register(elicitationId: string, live: ServerSession | undefined): Promise<void> {
    if (live !== undefined) {
      await this.#open.add(elicitationId, live);
    }
  }

  #toParams(request: UrlRequest): UrlParams {
    const text = String(request.url);
    const url = parseUrl(text);
    if (url === undefined || (url.protocol !== "https:" && url.protocol !== "http:")) {
      throw new UsageError(`elicitUrl: expected an https URL, got ${JSON.stringify(text)}`);
    }
    if (url.username !== "" || url.password !== "") {
      throw new UsageError(
        "elicitUrl: expected a URL without user name and password; it must not open anything by itself",
      );
    }
    if (url.protocol === "http:" && !isLoopbackHost(url.hostname)) {
      this.#onDiagnostic({
        code: "MCP_D_ELICITATION_URL",
        message: `elicitUrl: ${url.host} is reached without encryption; use https outside of development`,
      });
    }
    if (typeof request.message !== "string" || request.message === "") {
      throw new UsageError("elicitUrl: expected a message that says why the page is to be opened");
    }
    return { mode: "url", message: request.message, url: text, elicitationId: request.elicitationId ?? createId() };
  }
}

function toEmbedded({ mode, message, url }: UrlParams): ElicitRequestURLParams {
  return { mode, message, url };
}

function assertElicitations({ elicitations }: UrlElicitationRequiredError): void {
  if (elicitations.length === 0 || elicitations.some((elicitation) => elicitation.mode !== "url")) {
    throw new UsageError("UrlElicitationRequiredError: expected at least one elicitation, each with mode url");
  }
}
