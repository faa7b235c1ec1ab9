// Bundles built entries the way a user's bundler would, for the gates that look at what an entry drags in.

import { builtinModules } from "node:module";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import manifest from "../package.json" with { type: "json" };
import { root } from "./files.ts";

/** What a user installs beside the package, if at all: no bundle holds it. */
const peers = Object.keys(manifest.peerDependencies);

/** One bundle: its minified code and everything that went into it. */
export interface Bundle {
  readonly code: string;
  readonly gzipBytes: number;
  /** Paths of the modules inside, from the repository root. */
  readonly inputs: readonly string[];
  /** Node's own modules that the code asks for, by any name. */
  readonly builtins: readonly string[];
}

/** Bundles the given files into one module (or one script), dependencies included and node's modules left out. */
export async function bundle(
  files: readonly string[],
  options: { readonly nodeOnly: boolean; readonly script?: boolean },
): Promise<Bundle> {
  const contents = files
    .map((file, index) => `import * as e${index} from "./${file}"; export { e${index} };`)
    .join("\n");
  const result = await build({
    stdin: { contents, resolveDir: root, loader: "js" },
    absWorkingDir: root,
    bundle: true,
    write: false,
    minify: true,
    metafile: true,
    format: options.script === true ? "iife" : "esm",
    globalName: "entry",
    platform: options.nodeOnly ? "node" : "neutral",
    mainFields: ["module", "main"],
    target: "es2023",
    external: ["node:*", ...builtinModules, ...peers],
    logLevel: "silent",
  });
  const code = result.outputFiles[0]?.text ?? "";
  const outputs = Object.values(result.metafile.outputs);
  return {
    code,
    gzipBytes: gzipSync(code, { level: 9 }).length,
    inputs: Object.keys(result.metafile.inputs).filter((path) => path !== "<stdin>"),
    builtins: [
      ...new Set(outputs.flatMap(({ imports }) => imports.filter((i) => i.external).map((i) => i.path))),
    ].filter((path) => !peers.includes(path)),
  };
}
