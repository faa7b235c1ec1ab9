// Tools of the server fixture that change what it offers: each adds something, and takes it away when called again.

import { prompt, type Server, tool } from "parley-mcp/server";

const toolName = "test_comes_and_goes";
const promptName = "test_comes_and_goes";

/** Adds the tools to the server that they change. */
export function addChangingTools({ tools, prompts }: Server): void {
  tools.add(
    "test_trigger_tool_change",
    tool({ description: "Adds or removes a tool" }, () => {
      if (!tools.delete(toolName)) {
        tools.add(
          toolName,
          tool({ description: "Is not always there" }, () => "here"),
        );
      }
      return "The list of tools has changed";
    }),
  );
  tools.add(
    "test_trigger_prompt_change",
    tool({ description: "Adds or removes a prompt" }, () => {
      if (!prompts.delete(promptName)) {
        prompts.add(
          promptName,
          prompt({ description: "Is not always there" }, () => "here"),
        );
      }
      return "The list of prompts has changed";
    }),
  );
}
