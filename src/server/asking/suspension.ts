/**
 * What a question rejects with where its answer comes with a later request: the run of the handler ends here.
 *
 * It passes through `catch` and `finally` of the handler like any error. Whatever the handler makes of it is ignored:
 * the client is asked, and the handler runs again from its beginning.
 */
import { McpError } from "../../base/error.ts";

/** See the head of this file. */
export class Suspension extends McpError {
  readonly code = "MCP_SUSPENDED";

  constructor() {
    super("the client is being asked; the handler runs again when it has answered");
  }
}
