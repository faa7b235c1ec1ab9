/**
 * A process with everything it started, as one thing to signal.
 *
 * On POSIX it is a process group, which the process must lead; what leaves the group is out of reach. On Windows it is
 * the tree below the process, known only while the process itself runs.
 */
import { spawn, spawnSync } from "node:child_process";
import process from "node:process";
import { hasRunningMember } from "./group-members.node.ts";

/** A tree of processes. */
export interface ProcessTree {
  /** Whether `terminate` can be heard on this platform. */
  readonly canTerminate: boolean;
  /** Whether any process of it is left. */
  isAlive(): boolean;
  /** Asks all of them to end. */
  terminate(): void;
  /** Ends all of them. `isUrgent` when nothing can run later, as in an exit handler. */
  kill(options?: { isUrgent?: boolean }): void;
}

/** What the platform offers, replaceable for tests. */
export interface ProcessTools {
  readonly platform: NodeJS.Platform;
  /** As `process.kill`: throws when there is no such process. */
  kill(pid: number, signal: NodeJS.Signals | 0): void;
  /** Whether a member of the group runs, where the platform tells; signals reach zombies as well. */
  hasRunningMember(groupId: number): boolean | undefined;
  /** Runs a command without a window; its output is of no interest. */
  run(command: string, args: readonly string[], isUrgent: boolean): void;
}

const systemTools: ProcessTools = {
  platform: process.platform,
  kill: (pid, signal) => process.kill(pid, signal),
  hasRunningMember: (groupId) => hasRunningMember(groupId),
  run: (command, args, isUrgent) => {
    const options = { stdio: "ignore", windowsHide: true } as const;
    if (isUrgent) {
      spawnSync(command, args, options);
    } else {
      // A command that cannot be started leaves the tree alive, which is what the caller looks at.
      spawn(command, args, options).on("error", () => undefined);
    }
  },
};

/**
 * The tree below a process.
 *
 * @param pid - on POSIX, a process started as leader of its own group
 */
export function createProcessTree(pid: number, tools: ProcessTools = systemTools): ProcessTree {
  return tools.platform === "win32" ? createWindowsTree(pid, tools) : createGroup(pid, tools);
}

function createGroup(pid: number, tools: ProcessTools): ProcessTree {
  return {
    canTerminate: true,
    isAlive: () => signal(tools, -pid, 0) && tools.hasRunningMember(pid) !== false,
    terminate: () => {
      signal(tools, -pid, "SIGTERM");
    },
    kill: () => {
      signal(tools, -pid, "SIGKILL");
    },
  };
}

function createWindowsTree(pid: number, tools: ProcessTools): ProcessTree {
  return {
    // Without /f, taskkill sends a window message, and a console program has no window.
    canTerminate: false,
    isAlive: () => signal(tools, pid, 0),
    terminate: () => undefined,
    kill: ({ isUrgent = false } = {}) => tools.run("taskkill", ["/pid", String(pid), "/t", "/f"], isUrgent),
  };
}

/** Sends a signal; false when nobody is there to get it. */
function signal(tools: ProcessTools, pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    tools.kill(pid, name);
    return true;
  } catch (error) {
    // EPERM: there is somebody, whom we may not signal.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
