/**
 * The client's roots: asked for once per session and kept until the client says that they changed.
 *
 * A client that does not announce changes is asked each time. Specification: Client > Roots.
 */
import { raceAbort } from "../../base/abort.ts";
import type { Root } from "../../protocol/types/roots.ts";
import type { QuestionOptions } from "../requests/context.ts";
import { type AskTarget, ask, assertAskable } from "./input.ts";

/**
 * The roots [ROOT-011].
 *
 * @throws MissingCapabilityError where the client has none to offer, with nothing sent [ROOT-009]
 */
export async function askRoots(target: AskTarget, options: QuestionOptions): Promise<readonly Root[]> {
  assertAskable(target, { method: "roots/list" });
  const { live } = target;
  if (live?.capabilities.roots?.listChanged !== true) {
    return fetchRoots(target, options);
  }
  const kept = live.roots.answer;
  if (kept !== undefined) {
    try {
      return await raceAbort(kept, options.signal ?? target.signal);
    } catch {
      // Whoever asked first got the error; it may be about that caller alone, so this one asks for itself.
      target.signal.throwIfAborted();
      options.signal?.throwIfAborted();
    }
  }
  const asked = fetchRoots(target, options);
  live.roots.answer = asked;
  asked.catch(() => {
    // The caller gets the error; nothing is kept for the next.
    if (live.roots.answer === asked) {
      live.roots.answer = undefined;
    }
  });
  return asked;
}

async function fetchRoots(target: AskTarget, options: QuestionOptions): Promise<readonly Root[]> {
  const { roots } = await ask(target, "roots/list", undefined, options);
  return roots;
}
