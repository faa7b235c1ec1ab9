/** One line that says what is being served. */
import { revisions } from "../revision/registry.ts";
import type { Server } from "../server/server.ts";

/** How many names are shown before the rest is counted. */
const shownNames = 5;

/**
 * The line, such as `demo 1.0.0 · stdio · 1 tool (add) · speaks 2024-11-05 … 2026-07-28`.
 *
 * @param where - the URL, or the word `stdio`
 * @param served - ids of the revisions that are served; all where there are none
 */
export function describeServer(app: Server, where: string, served?: readonly string[]): string {
  const { name, version } = app.info;
  const features = [
    describeFeatures("tool", app.tools),
    describeFeatures("resource", app.resources),
    describeFeatures("template", app.templates),
    describeFeatures("prompt", app.prompts),
  ].filter((text) => text !== undefined);
  const spoken = revisions.map(({ id }) => id).filter((id) => served?.includes(id) ?? true);
  const ends = [...new Set([spoken[spoken.length - 1], spoken[0]])];
  return [`${name} ${version}`, where, ...features, `speaks ${ends.join(" … ")}`].join(" · ");
}

function describeFeatures(kind: string, features: Iterable<readonly [name: string, ...unknown[]]>): string | undefined {
  const names = [...features].map(([name]) => name);
  if (names.length === 0) {
    return undefined;
  }
  const rest = names.length - shownNames;
  const shown = names.slice(0, shownNames).join(", ");
  return `${names.length} ${kind}${names.length === 1 ? "" : "s"} (${shown}${rest > 0 ? `, ${rest} more` : ""})`;
}
