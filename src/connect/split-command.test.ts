import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { UsageError } from "../base/error.ts";
import { splitCommand } from "./split-command.ts";

describe("splitCommand", () => {
  it("splits at white space outside quotes", () => {
    const cases: readonly (readonly [string, readonly string[]])[] = [
      ["npx -y some-server", ["npx", "-y", "some-server"]],
      ["  node\tserver.js\n", ["node", "server.js"]],
      [`"/my tools/run" --name='a b' ""`, ["/my tools/run", "--name=a b", ""]],
      [`node -e "say(\\"hi\\")"`, ["node", "-e", 'say("hi")']],
      [`'it''s' "don't"`, ["its", "don't"]],
      ["C:\\tools\\run.exe C:\\data", ["C:\\tools\\run.exe", "C:\\data"]],
      ["server $HOME *.txt | head", ["server", "$HOME", "*.txt", "|", "head"]],
    ];
    for (const [text, words] of cases) {
      const { command, args } = splitCommand(text);
      assert.deepEqual([command, ...args], words);
    }
  });

  it("says what is wrong with a text that is no command", () => {
    for (const text of ["", "  ", `""`]) {
      assert.throws(() => splitCommand(text), /expected a program and its arguments, got an empty text/);
    }
    assert.throws(() => splitCommand(`node "server.js`), /expected a closing " in/);
  });

  it("sends variables before the program to their place, without showing a secret", () => {
    assert.throws(
      () => splitCommand("API_KEY=s3cret node server.js"),
      (error) => {
        assert.ok(error instanceof UsageError);
        assert.match(error.message, /got the variable API_KEY: give those as stdio\.env/);
        assert.doesNotMatch(error.message, /s3cret/);
        return true;
      },
    );
  });
});
