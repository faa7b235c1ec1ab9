// Scenarios in which the server asks back: the client's handlers answer, the calls are made as any others.

import type { ClientSession } from "parley-mcp/client";

/** The tool shows a form, which the client's handler accepts as it is. */
export async function acceptDefaults(session: ClientSession): Promise<void> {
  await session.callTool("test_client_elicitation_defaults", {});
}

/** Calls at the same time, some of them answered with questions, and one answered by a result that says no type. */
export async function carryStateThroughRounds(session: ClientSession): Promise<void> {
  await Promise.all(
    ["test_mrtr_echo_state", "test_mrtr_no_state", "test_mrtr_unrelated", "test_mrtr_no_result_type"].map((name) =>
      session.callTool(name, {}),
    ),
  );
}
