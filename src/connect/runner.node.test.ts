import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { relative, resolve } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { runnerArguments } from "./runner.node.ts";

const program = fileURLToPath(new URL("runner-main.node.ts", import.meta.url));

describe("runnerArguments", () => {
  it("names the program and the whole path, as the process may run elsewhere", () => {
    assert.deepEqual(runnerArguments("./server.ts", []), [program, resolve("server.ts")]);
  });

  it("passes on the flags about modules, in both spellings", () => {
    const flags = ["--conditions=dev", "-C", "x", "--import", "data:text/javascript,", "--experimental-strip-types"];
    assert.deepEqual(runnerArguments("a.ts", flags).slice(0, -2), [
      ...["--conditions", "dev", "-C", "x"],
      ...["--import", "data:text/javascript,", "--experimental-strip-types"],
    ]);
  });

  it("names preloaded modules so that they are found from any folder", () => {
    const here = fileURLToPath(import.meta.url);
    const relativePath = `./${relative(process.cwd(), here)}`;
    assert.deepEqual(
      runnerArguments("a.ts", ["--import=tsx", `--import=${relativePath}`, "-r", relativePath]).slice(0, -2),
      [
        ...["--import", pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href],
        ...["--import", import.meta.url, "-r", here],
      ],
    );
  });

  it("keeps the flags of this process alone to itself, with their values", () => {
    const flags = ["--inspect=9229", "-e", "connect('./a.ts')", "--input-type=module", "--test-reporter", "spec"];
    assert.deepEqual(runnerArguments("a.ts", flags).slice(0, -2), []);
  });
});
