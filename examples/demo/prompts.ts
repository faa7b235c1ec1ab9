// Prompts about files, with arguments that can be completed.

import { InvalidParamsError } from "parley-mcp";
import { type PromptReturn, prompt, user } from "parley-mcp/server";
import { completePath, embedFile } from "./files.ts";
import type { Folder } from "./folder.ts";

/** Makes the prompts. */
export function createPrompts(folder: Folder) {
  const complete = (typed: string): Promise<string[]> => completePath(folder, typed);
  return {
    explain: prompt(
      {
        title: "Explain a file",
        description: "Asks for an explanation of a file",
        arguments: { path: { description: "Which file", required: true }, audience: { description: "For whom" } },
        complete: { path: complete, audience: ["newcomers", "experts", "managers"] },
      },
      async ({ path, audience }): Promise<PromptReturn> => [
        user(`Explain the following file to ${audience ?? "newcomers"}, in a few paragraphs.`),
        user(await attach(folder, path)),
      ],
    ),

    compare: prompt(
      {
        title: "Compare two files",
        description: "Asks what two files have in common and where they differ",
        arguments: {
          first: { description: "One file", required: true },
          second: { description: "The other", required: true },
        },
        complete: { first: complete, second: complete },
      },
      async ({ first, second }): Promise<PromptReturn> => [
        user("Compare these two files: what do they share, where do they differ, do they contradict each other?"),
        user(await attach(folder, first)),
        user(await attach(folder, second)),
      ],
    ),
  };
}

async function attach(folder: Folder, path: string) {
  const file = await embedFile(folder, path);
  if (file === undefined) {
    throw new InvalidParamsError(`there is no file ${JSON.stringify(path)} in this folder`);
  }
  return file;
}
