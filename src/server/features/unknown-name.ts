/** The error for a name that nothing has, with the nearest one that something has. */
import { InvalidParamsError } from "../../protocol/errors.ts";
import { nearest } from "../../schema/nearest.ts";

/** Names that are compared; beyond, a guess costs more than it helps. */
const maxCompared = 2_000;

/**
 * Makes the error [TOOL-019, PROMPT-009, COMP-007].
 *
 * @param kind - what was looked for
 * @param known - the names that may be offered
 */
export function unknownName(kind: string, name: string, known: Iterable<string>): InvalidParamsError {
  const close = nearest(name, first(known, maxCompared));
  const hint = close === undefined ? "Ask for the list first" : `Did you mean ${JSON.stringify(close)}?`;
  const shown = name.length > 80 ? `${name.slice(0, 80)}...` : name;
  return new InvalidParamsError(`no ${kind} ${JSON.stringify(shown)}. ${hint}`);
}

function* first(names: Iterable<string>, count: number): Iterable<string> {
  let left = count;
  for (const name of names) {
    if (left === 0) {
      return;
    }
    left -= 1;
    yield name;
  }
}
