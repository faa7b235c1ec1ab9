// The folder that the demo serves: nothing outside it, however it is named.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { Folder } from "../../examples/demo/folder.ts";

describe("Folder", () => {
  let place = "";
  let folder: Folder;

  before(async () => {
    place = await mkdtemp(join(tmpdir(), "parley-folder-"));
    await mkdir(join(place, "served", "sub"), { recursive: true });
    await writeFile(join(place, "secret.txt"), "secret");
    await writeFile(join(place, "served", "a.md"), "a");
    await writeFile(join(place, "served", ".env"), "hidden");
    await writeFile(join(place, "served", "sub", "b c.md"), "b");
    await symlink(join(place, "secret.txt"), join(place, "served", "link.txt"));
    await symlink(place, join(place, "served", "way-out"));
    folder = await Folder.open(join(place, "served"));
  });

  after(() => rm(place, { recursive: true }));

  it("lists files in its folders, but neither hidden ones nor links", async () => {
    const { files } = await folder.scan();
    assert.deepEqual(
      files.map(({ path, size }) => [path, size]),
      [
        ["a.md", 1],
        ["sub/b c.md", 1],
      ],
    );
  });

  it("reads nothing outside, through no traversal and no link, and nothing hidden", async () => {
    const outside = ["../secret.txt", "sub/../../secret.txt", "link.txt", "way-out/secret.txt", "/etc/passwd"];
    for (const path of [...outside, ".env", "", ".", "sub", "a.md\0", "sub\\b c.md", "C:/x"]) {
      assert.equal(await folder.read(path), undefined, path);
    }
    assert.equal(String(await folder.read("sub/b c.md")), "b");
  });

  it("renames to no place outside, replaces nothing, and deletes no more than was named", async () => {
    for (const target of ["../out.md", "way-out/out.md", ".hidden", "missing/out.md"]) {
      await assert.rejects(folder.rename("a.md", target), /expected a path/);
    }
    await assert.rejects(folder.rename("a.md", "sub/b c.md"), /exists already/);
    await assert.rejects(folder.delete("link.txt"), /no file/);
    await folder.rename("a.md", "sub/a.md");
    assert.equal(String(await folder.read("sub/a.md")), "a");
    assert.equal(await folder.read("a.md"), undefined);
    await folder.delete("sub/a.md");
    assert.equal((await folder.scan()).files.length, 1);
    assert.equal(await readFile(join(place, "secret.txt"), "utf8"), "secret");
  });
});
