/**
 * A command line as a person writes it, cut into program and arguments. No shell: nothing is expanded or run.
 */
import { UsageError } from "../base/error.ts";

/** A program and its arguments. */
export interface SplitCommand {
  readonly command: string;
  readonly args: readonly string[];
}

/**
 * Splits at white space outside single and double quotes. A backslash stands for itself, as paths on Windows need it;
 * inside double quotes `\"` is a quote.
 *
 * @throws {@link UsageError} for an empty text, a quote that is never closed, or variables before the program
 */
export function splitCommand(text: string): SplitCommand {
  const words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charAt(index);
    if (quote === '"' && character === "\\" && text.charAt(index + 1) === '"') {
      word = `${word ?? ""}"`;
      index += 1;
    } else if (character === quote) {
      quote = undefined;
    } else if (quote === undefined && (character === '"' || character === "'")) {
      quote = character;
      word ??= "";
    } else if (quote === undefined && /\s/.test(character)) {
      if (word !== undefined) {
        words.push(word);
        word = undefined;
      }
    } else {
      word = (word ?? "") + character;
    }
  }
  if (quote !== undefined) {
    throw new UsageError(`command: expected a closing ${quote} in ${JSON.stringify(text)}`);
  }
  if (word !== undefined) {
    words.push(word);
  }
  const [command, ...args] = words;
  if (command === undefined || command === "") {
    throw new UsageError("command: expected a program and its arguments, got an empty text");
  }
  const variable = /^([A-Za-z_]\w*)=/.exec(command)?.[1];
  if (variable !== undefined) {
    // Its value may be a secret, and is not shown.
    throw new UsageError(`command: expected the program first, got the variable ${variable}: give those as stdio.env`);
  }
  return { command, args };
}
