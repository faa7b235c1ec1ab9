/**
 * What answers the requests of one server, by method: made when first needed, and anew once the client has other ones.
 *
 * Limits on how often a server may ask are part of the handlers, so each session has its own.
 */
import type { Clock } from "../../base/timer.ts";
import type { ClientSettings } from "../options.ts";
import { createElicitationHandler } from "./elicitation.ts";
import { createRootsHandler } from "./roots.ts";
import { createSamplingHandler } from "./sampling.ts";
import type { RequestHandler } from "./serving.ts";
import { type UrlElicitationHost, UrlElicitations } from "./url-elicitation.ts";

/** Something that was made from options, which tell whether it is still the right one. */
interface Made<T> {
  readonly from: object;
  readonly value: T;
}

/** See the head of this file. */
export class Handlers {
  readonly #settings: ClientSettings;
  readonly #clock: Clock;
  readonly #urlHost: UrlElicitationHost;
  readonly #made = new Map<string, Made<RequestHandler>>();
  #urls: Made<UrlElicitations> | undefined;

  constructor(settings: ClientSettings, urlHost: UrlElicitationHost) {
    this.#settings = settings;
    this.#clock = settings.clock;
    this.#urlHost = urlHost;
  }

  /** What sends the person to pages, where the client can. */
  get urls(): UrlElicitations | undefined {
    const options = this.#settings.elicitation?.url;
    if (options === undefined) {
      return undefined;
    }
    if (this.#urls?.from !== options) {
      this.#urls = { from: options, value: new UrlElicitations(options, this.#urlHost) };
    }
    return this.#urls.value;
  }

  /** The handler of a method, where there is one. */
  get(method: string): RequestHandler | undefined {
    const { sampling, elicitation, roots, methods } = this.#settings;
    switch (method) {
      case "ping":
        return answerPing;
      case "sampling/createMessage":
        return this.#from(method, sampling, (options) => createSamplingHandler(options, this.#clock));
      case "elicitation/create":
        return this.#from(method, elicitation, (options) => createElicitationHandler(options, this.urls, this.#clock));
      case "roots/list":
        return this.#from(method, roots, createRootsHandler);
      default:
        return Object.hasOwn(methods, method) ? methods[method] : undefined;
    }
  }

  #from<T extends object>(
    method: string,
    options: T | undefined,
    make: (options: T) => RequestHandler,
  ): RequestHandler | undefined {
    if (options === undefined) {
      return undefined;
    }
    const made = this.#made.get(method);
    if (made?.from === options) {
      return made.value;
    }
    const value = make(options);
    this.#made.set(method, { from: options, value });
    return value;
  }
}

function answerPing(): Record<string, never> {
  return {};
}
