/**
 * Whose message was it? Reads the id out of the beginning and the end of a message that cannot be parsed, because it
 * is too long, no JSON or no UTF-8, so that whoever waits for it can be told.
 *
 * It guesses nothing: without a member that only a JSON-RPC message has, there is no id.
 */
import type { ChannelProblem } from "./link.ts";
import { isRequestId, type RequestId } from "./message.ts";

/** What could be told of a message. */
export type Recovered = Pick<ChannelProblem, "id" | "isResponse">;

interface Members {
  isMessage: boolean;
  isResponse: boolean;
  id: RequestId | undefined;
}

/**
 * Reads the outermost members that can be seen from either end.
 *
 * @param head - how the text begins; may be all of it
 * @param tail - how the text ends; may overlap the beginning
 */
export function recoverId(head: string, tail: string): Recovered {
  const members: Members = { isMessage: false, isResponse: false, id: undefined };
  readHead(head, members);
  if (/^\s*\{/.test(head) && members.id === undefined) {
    readTail(tail, members);
  }
  return members.isMessage && members.id !== undefined ? { id: members.id, isResponse: members.isResponse } : {};
}

function readHead(text: string, members: Members): void {
  const start = /^\s*\{/.exec(text)?.[0].length;
  const name = /\s*"((?:[^"\\]|\\.)*)"\s*:/y;
  for (let at = start; at !== undefined; ) {
    name.lastIndex = at;
    const found = name.exec(text);
    if (found === null) {
      return;
    }
    const valueStart = name.lastIndex;
    const end = endOfValue(text, valueStart);
    note(members, found[1] ?? "", end === undefined ? undefined : text.slice(valueStart, end));
    at = end !== undefined && text[end] === "," ? end + 1 : undefined;
  }
}

/** Where the comma or bracket behind a value is; nothing where the text ends first. */
function endOfValue(text: string, start: number): number | undefined {
  const token = /"(?:[^"\\]|\\.)*"|[{}[\],]|[^"{}[\],]+/y;
  token.lastIndex = start;
  let depth = 0;
  for (let found = token.exec(text); found !== null; found = token.exec(text)) {
    const [first] = found[0];
    if (depth === 0 && (first === "," || first === "}" || first === "]")) {
      return found.index;
    }
    if (first === "{" || first === "[") {
      depth += 1;
    } else if (first === "}" || first === "]") {
      depth -= 1;
    }
  }
  return undefined;
}

/**
 * The id may stand behind a long result. It is recognised where only members with plain values lie between it and the
 * bracket that ends the text: in JSON such a run cannot be part of a string, nor of anything but the outermost object.
 */
const idNearEnd = /[{,]\s*"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+)\s*((?:,\s*"\w+"\s*:\s*(?:"[^"\\]*"|-?\d+)\s*)*)\}\s*$/;
const memberBeforeId = /[{,]\s*"(jsonrpc|method)"\s*:\s*("[^"\\]*")\s*$/;

function readTail(text: string, members: Members): void {
  const found = idNearEnd.exec(text);
  if (found === null) {
    return;
  }
  note(members, "id", found[1]);
  for (const [, name = "", value] of (found[2] ?? "").matchAll(/"(\w+)"\s*:\s*("[^"\\]*"|-?\d+)/g)) {
    note(members, name, value);
  }
  const [, name = "", value] = memberBeforeId.exec(text.slice(0, found.index)) ?? [];
  note(members, name, value);
}

function note(members: Members, name: string, value: string | undefined): void {
  switch (name) {
    case "jsonrpc":
    case "method":
      members.isMessage = true;
      break;
    case "result":
    case "error":
      members.isMessage = true;
      members.isResponse = true;
      break;
    case "id":
      members.id ??= parseId(value);
      break;
  }
}

function parseId(text: string | undefined): RequestId | undefined {
  try {
    const id: unknown = JSON.parse(text ?? "null");
    return isRequestId(id) ? id : undefined;
  } catch {
    // The text around it is broken, so this may be as well; no id is an answer.
    return undefined;
  }
}
