// A `fetch` that counts the answers to every request of one client, whatever the client makes of them.

import type { Ledger } from "./ledger.ts";

/** Makes one, for one client. */
export function createTap(ledger: Ledger): typeof fetch {
  const answered = new Set<string>();
  const look = (text: string): void => {
    for (const line of text.split(/\r?\n/)) {
      const json = line.startsWith("data:") ? line.slice(5).trim() : line.trim();
      const message = json.startsWith("{") ? parse(json) : undefined;
      if (message?.id !== undefined && ("result" in message || "error" in message)) {
        const id = JSON.stringify(message.id);
        ledger.doubled += answered.has(id) ? 1 : 0;
        answered.add(id);
      }
    }
  };
  return async (input, init) => {
    const response = await fetch(input, init);
    if (response.body === null) {
      return response;
    }
    const decoder = new TextDecoder();
    let rest = "";
    const tap = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        rest += decoder.decode(chunk, { stream: true });
        const end = rest.lastIndexOf("\n") + 1;
        look(rest.slice(0, end));
        rest = rest.slice(end);
        controller.enqueue(chunk);
      },
      flush: () => look(rest),
    });
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(tap), { status, statusText, headers });
  };
}

interface Answer {
  readonly id?: unknown;
}

function parse(json: string): Answer | undefined {
  try {
    return JSON.parse(json) as Answer;
  } catch {
    // An answer that was cut in the middle.
    return undefined;
  }
}
