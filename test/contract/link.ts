// What every link promises, whatever carries it. A new link calls this with a way to open one.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  ClosedError,
  type JsonObject,
  type JsonRpcNotification,
  type JsonRpcRequest,
  type RequestId,
} from "parley-mcp";
import type { Dispatcher, Link } from "parley-mcp/jsonrpc";
import { Arrivals, happening } from "../fixtures/signals.ts";
import { within } from "../fixtures/within.ts";

/** A link to the contract server that has not been started. */
export interface ContractEnd {
  readonly link: Link<never>;
  /** Sends text as the client would, and gives the error in the answer; absent where a link takes no text. */
  readonly post?: (text: string) => Promise<{ readonly id?: RequestId; readonly error?: { readonly code: number } }>;
  /** Sends the client something that is no message; absent where nothing can. */
  readonly garble?: () => void;
  /** Takes down what the link leads to. */
  close(): Promise<void>;
}

/** A kind of link. */
export interface ContractLink {
  readonly name: string;
  /** Whether notifications and questions of a request travel before its answer. */
  readonly tells: boolean;
  /** Largest message in either direction; absent where there is no limit. */
  readonly limitBytes?: number;
  open(): Promise<ContractEnd>;
}

/** What a client receives. */
class Recorder implements Dispatcher<unknown> {
  readonly notifications = new Arrivals<JsonRpcNotification>();
  readonly requests = new Arrivals<JsonRpcRequest>();
  readonly aborted = happening<unknown>();

  dispatch: Dispatcher<unknown>["dispatch"] = async (message, { signal }) => {
    if (!("id" in message)) {
      this.notifications.take(message);
      return undefined;
    }
    this.requests.take(message);
    if (message.params?.question === "hold") {
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
      this.aborted.happen(signal.reason);
    }
    return { jsonrpc: "2.0", id: message.id, result: { seen: message.params?.question } };
  };
}

interface Opened {
  readonly end: ContractEnd;
  readonly link: Link<never>;
  readonly recorder: Recorder;
  request(name: string, params?: JsonObject, signal?: AbortSignal): Promise<JsonObject>;
}

const initialize = {
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "contract", version: "1.0.0" } },
};

/** Registers the suite for one kind of link. */
export function describeLink(kind: ContractLink): void {
  /** Opens a link and shakes hands, does something, and closes it. */
  const opened = (run: (opened: Opened) => Promise<void>) => async (): Promise<void> => {
    const end = await kind.open();
    const { link } = end;
    const recorder = new Recorder();
    const request = (name: string, params: JsonObject = {}, signal?: AbortSignal): Promise<JsonObject> =>
      link.request({ method: `contract/${name}`, params }, { signal });
    const use = async (): Promise<void> => {
      await link.start(recorder);
      await link.request(initialize);
      await link.notify({ method: "notifications/initialized" });
      await run({ end, link, recorder, request });
    };
    try {
      await within(use(), kind.name);
    } finally {
      await link.close();
      await end.close();
    }
  };
  const needs = (isThere: boolean, what: string): { skip: string | false } => ({
    skip: isThere ? false : `${kind.name} has no ${what}`,
  });

  describe(`${kind.name} as a link [HTTP-054]`, () => {
    registerMessages(kind, opened, needs);
    registerEnds(kind, opened, needs);
  });
}

type Run = (run: (opened: Opened) => Promise<void>) => () => Promise<void>;
type Needs = (isThere: boolean, what: string) => { skip: string | false };

function registerMessages(kind: ContractLink, opened: Run, needs: Needs): void {
  it(
    "gives each of many calls its own result, whatever the order of the answers [BASE-007]",
    opened(async ({ request }) => {
      const results = await Promise.all(Array.from({ length: 50 }, (_, n) => request("echo", { n, text: "ä€😀\n" })));
      assert.deepEqual(
        results.map(({ n, text }) => [n, text]),
        Array.from({ length: 50 }, (_, n) => [n, "ä€😀\n"]),
      );
    }),
  );

  it(
    "delivers notifications in the order they were sent",
    opened(async ({ link, request }) => {
      for (let n = 0; n < 50; n += 1) {
        await link.notify({ method: "contract/note", params: { n } });
      }
      const { notes } = await request("notes", { count: 50 });
      assert.deepEqual(
        notes,
        Array.from({ length: 50 }, (_, n) => n),
      );
    }),
  );

  it(
    "delivers notifications of a request in order and before its answer, however many there are",
    needs(kind.tells, "notifications within a request"),
    opened(async ({ link, recorder }) => {
      const related: unknown[] = [];
      const onRelated = ({ params }: JsonRpcNotification): void => void related.push(params?.n);
      const call = { method: "contract/flood", params: { count: 2_000, size: 8_000 } };
      const result = await link.request(call, { onRelated });
      assert.deepEqual(result, { count: 2_000 });
      const seen = [...related, ...recorder.notifications.all.map(({ params }) => params?.n)];
      assert.deepEqual(
        seen,
        Array.from({ length: 2_000 }, (_, n) => n),
      );
    }),
  );

  it(
    "carries questions of the server while a call waits, with ids of their own [BASE-006]",
    needs(kind.tells, "questions within a request"),
    opened(async ({ request, recorder }) => {
      const answers = await Promise.all(["a", "b"].map((question) => request("ask", { question })));
      assert.deepEqual(answers, [{ answer: { seen: "a" } }, { answer: { seen: "b" } }]);
      assert.equal(new Set(recorder.requests.all.map(({ id }) => id)).size, 2);
    }),
  );

  it(
    "answers a string id with the same string, and 0 with 0 [BASE-007]",
    opened(async ({ end }) => {
      for (const id of ["seven", "0", 0, 7_000_000]) {
        const text = JSON.stringify({ jsonrpc: "2.0", id, method: "contract/echo", params: {} });
        // 0 is the id of a call that was answered long ago, so it is free again.
        const answer = (await end.post?.(text)) ?? { id };
        assert.deepEqual(answer.id, id);
      }
    }),
  );

  it(
    "survives input that is no message, in both directions [BASE-014] [BASE-015] [BASE-023]",
    opened(async ({ end, request }) => {
      for (const [text, code] of [
        ['{"jsonrpc":', -32700],
        ['{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600],
        ["[]", -32600],
      ]) {
        const answer = await end.post?.(String(text));
        assert.ok(answer === undefined || answer.error?.code === code, JSON.stringify(answer));
      }
      end.garble?.();
      assert.deepEqual(await request("echo", { still: "here" }), { still: "here" });
    }),
  );

  it(
    "refuses a message over its limit, in both directions, and goes on [PP-026]",
    needs(kind.limitBytes !== undefined, "limit"),
    opened(async ({ request }) => {
      const size = 2 * Number(kind.limitBytes);
      const waiting = request("echo", { n: 1 });
      await assert.rejects(request("echo", { data: "x".repeat(size) }), /too large|larger|at most/i);
      await assert.rejects(request("big", { size }), /too large|larger|at most/i);
      assert.deepEqual(await waiting, { n: 1 });
      assert.deepEqual(await request("echo", { still: "here" }), { still: "here" });
    }),
  );
}

function registerEnds(kind: ContractLink, opened: Run, needs: Needs): void {
  it(
    "gives up a call for its caller at once, with the caller's reason, and for the server [CANCEL-005] [CANCEL-007] [PP-040]",
    opened(async ({ request }) => {
      const controller = new AbortController();
      const held = request("hold", { name: "first" }, controller.signal);
      const other = request("echo", { n: 1 });
      await other;
      const reason = new Error("changed my mind");
      controller.abort(reason);
      await assert.rejects(held, (error) => error === reason);
      assert.deepEqual(await request("aborted", { count: 1 }), { aborted: ["first"] });
      controller.abort(new Error("again"));
      await assert.rejects(request("echo", {}, controller.signal), (error) => error === reason);
    }),
  );

  it(
    "withdraws the server's first question, whose id is 0 [PP-040]",
    needs(kind.tells, "questions within a request"),
    opened(async ({ link, request, recorder }) => {
      const asked = request("ask-and-withdraw");
      const [question] = await recorder.requests.until(1);
      // A link whose answers may come in elsewhere puts a name before it.
      assert.match(String(question?.id), /^(?:[\w-]+-)?0$/);
      await link.notify({ method: "contract/withdraw" });
      assert.deepEqual(await asked, { outcome: "Error: withdrawn" });
      await recorder.aborted.promise;
    }),
  );

  it(
    "ends once and for all: calls fail, later ones too, nothing more arrives [LIFE-021]",
    opened(async ({ link, request, recorder }) => {
      const held = assert.rejects(request("hold", { name: "held" }), ClosedError);
      await request("echo", {});
      const before = recorder.notifications.all.length + recorder.requests.all.length;
      await Promise.all([link.close(), link.close()]);
      await held;
      assert.equal(await link.closed, undefined);
      await assert.rejects(request("echo", {}), ClosedError);
      await assert.rejects(link.notify({ method: "contract/note", params: { n: 1 } }), ClosedError);
      assert.equal(recorder.notifications.all.length + recorder.requests.all.length, before);
    }),
  );

  it(
    "sends nothing for a call that was given up before it began",
    opened(async ({ request }) => {
      const reason = new Error("too early");
      await assert.rejects(request("hold", { name: "never" }, AbortSignal.abort(reason)), (error) => error === reason);
      await assert.rejects(request("no-such-thing"), { rpcCode: -32601 });
    }),
  );
}
