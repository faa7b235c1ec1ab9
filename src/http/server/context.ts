/** The context that every message of one HTTP request is dispatched with. */
import type { AuthInfo } from "../../protocol/types/auth.ts";
import type { HttpDetails, McpContext, Session } from "../../revision/exchange.ts";
import type { Revision } from "../../revision/revision.ts";
import type { ServedRevisions } from "../../revision/served.ts";
import type { HttpRequest } from "../message.ts";

/** What handlers may read of the request. */
class RequestDetails implements HttpDetails {
  readonly #request: HttpRequest;

  constructor(request: HttpRequest) {
    this.#request = request;
  }

  get method(): string {
    return this.#request.method;
  }

  get url(): string {
    return this.#request.url;
  }

  header(name: string): string | undefined {
    return this.#request.header(name.toLowerCase());
  }
}

/** What is known of a message beside its request. */
export interface Placed {
  readonly revision: Revision;
  readonly session?: Session | undefined;
  readonly auth: AuthInfo | undefined;
}

/** Makes the context. */
export function createContext(
  request: HttpRequest,
  { ids }: ServedRevisions,
  { revision, session, auth }: Placed,
): McpContext {
  return { revision, session, served: ids, auth, http: new RequestDetails(request) };
}
