/** What a program does when nobody reads its output any more: it goes on. */
import process from "node:process";

/**
 * Keeps the process alive when the reader of its standard output or error has gone, as in `parley run x | head -1` or
 * when a host closes the pipes: without a listener the next write would end it in the middle of its work.
 */
export function tolerateLostOutput(): void {
  for (const stream of [process.stdout, process.stderr]) {
    if (!stream.listeners("error").includes(ignoreLoss)) {
      stream.on("error", ignoreLoss);
    }
  }
}

/** Nobody can act on it: the one place where it could be told is the one that is lost. */
function ignoreLoss(): undefined {
  return undefined;
}
