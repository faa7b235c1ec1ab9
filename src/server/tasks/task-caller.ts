/** Who a task belongs to, and who may ask for it. Specification: Basic > Utilities > Tasks > Task Isolation and Access Control. */
import { toPrincipalKey } from "../../protocol/principal.ts";
import type { McpContext } from "../../revision/exchange.ts";

/** A requestor, as far as tasks are concerned. */
export interface TaskCaller {
  /** Whose its tasks are; `undefined` where nobody can tell it from others, and ids are all that protects them. */
  readonly owner: string | undefined;
  /** Whether its tasks end with its session, because nobody else could ask for them. */
  readonly isSession: boolean;
}

/**
 * The requestor of a message: the verified user; else, on a pipe, whoever is at its other end; else nobody in particular
 * [TASK-050, TASK-052].
 */
export function toTaskCaller({ auth, session, http }: McpContext): TaskCaller {
  const principal = toPrincipalKey(auth);
  if (principal !== undefined || session === undefined || http !== undefined) {
    return { owner: principal, isSession: false };
  }
  return { owner: `session ${session.id}`, isSession: true };
}
