/**
 * Whether a process group has a member that runs, from /proc where there is one.
 *
 * Signal 0 cannot tell: it reaches zombies too, and in a container whose first process reaps nobody they stay.
 */
import { readdirSync, readFileSync } from "node:fs";

/**
 * Looks for members of a group that are no zombies.
 *
 * @param root - where the process file system is
 * @returns nothing where it cannot be read, as on systems without one
 */
export function hasRunningMember(groupId: number, root = "/proc"): boolean | undefined {
  let names: readonly string[];
  try {
    names = readdirSync(root).filter((name) => /^\d+$/.test(name));
  } catch {
    // No such file system: the caller has only the signal to go by.
    return undefined;
  }
  return names.some((name) => {
    const { state, group } = readStat(`${root}/${name}/stat`);
    return group === groupId && state !== "Z" && state !== "X";
  });
}

function readStat(path: string): { readonly state?: string | undefined; readonly group?: number } {
  try {
    const text = readFileSync(path, "latin1");
    // The name of the program stands in brackets and may hold anything; behind it: state, parent, group.
    const [state, , group] = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return { state, group: Number(group) };
  } catch {
    // It ended since the list was read.
    return {};
  }
}
