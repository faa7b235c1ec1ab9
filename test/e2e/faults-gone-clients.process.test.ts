// A thousand calls whose clients go away at every point, in a process that any unhandled error would end.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Program, sourceArgs } from "../fixtures/programs.ts";
import { within } from "../fixtures/within.ts";

const modes: { readonly [mode: string]: string } = {
  default: "of sessions whose streams can be resumed",
  lost: "of sessions whose streams cannot be resumed",
  alone: "that stand for themselves",
};

describe("a server whose clients close their sockets at every point of a thousand calls", () => {
  for (const [mode, what] of Object.entries(modes)) {
    it(`lives on and ends with 0, with calls ${what} [PP-020]`, async () => {
      const args = ["--unhandled-rejections=strict", ...sourceArgs("test/endurance/soak-gone-clients.ts", mode)];
      const program = new Program(process.execPath, args);
      const end = await within(program.ended, "the end of the process", 120_000);
      assert.deepEqual(end, { code: 0, signal: null }, program.stderr);
      assert.equal(program.stderr, "");
      const { sent, began, answers, open } = JSON.parse(program.stdout) as Record<string, unknown>;
      assert.deepEqual([sent, answers, open], [1_000, 400, { sessions: 0, streams: 0, exchanges: 0, questions: 0 }]);
      assert.ok(Number(began) > 300, `only ${began} handlers began`);
    });
  }
});
