/** Whether a request is answered with JSON or an event stream, by what the server is set to and the client takes [PP-109]. */
import type { RequestId } from "../../jsonrpc/message.ts";
import { acceptsMediaType, eventStreamType, jsonType, listsMediaType } from "../media-type.ts";
import type { TextReply } from "../message.ts";
import { createRefusal } from "../status.ts";
import type { ReplyFormat, ResolvedHttpServerOptions } from "./options.ts";

type FormatOptions = Pick<ResolvedHttpServerOptions, "response" | "strictAccept">;

/**
 * The format of a reply to a POST; `undefined` where the client takes nothing that the server would send.
 *
 * @param accept - the `Accept` header as received
 */
export function chooseFormat(accept: string | undefined, options: FormatOptions): ReplyFormat | undefined {
  // What nearly every client sends, so that it need not be read again each time.
  if (accept === "application/json, text/event-stream") {
    return options.response;
  }
  if (options.strictAccept && !(listsMediaType(accept, jsonType) && listsMediaType(accept, eventStreamType))) {
    return undefined;
  }
  const takesJson = acceptsMediaType(accept, jsonType);
  const takesStream = acceptsMediaType(accept, eventStreamType);
  switch (options.response) {
    case "json":
      return takesJson ? "json" : undefined;
    case "stream":
      return takesStream ? "stream" : undefined;
    case "auto":
      return takesJson ? (takesStream ? "auto" : "json") : takesStream ? "stream" : undefined;
  }
}

/**
 * The refusal of a client that takes none of it.
 *
 * @param id - of the one request that was posted
 */
export function refuseFormat({ response, strictAccept }: FormatOptions, id?: RequestId): TextReply {
  const both = `${jsonType}, ${eventStreamType}`;
  const expected = strictAccept || response === "auto" ? both : response === "json" ? jsonType : eventStreamType;
  return createRefusal("notAcceptable", `Accept: expected ${expected}; list both media types`, { id });
}
