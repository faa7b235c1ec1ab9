import assert from "node:assert/strict";
import { mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { createStdioChannel, type StdioChannel } from "parley-mcp/stdio/client";
import { createAtEnd } from "./fixtures/at-end.ts";
import { isRunning, runPackage } from "./fixtures/peer-process.ts";
import { pngBase64 } from "./fixtures/picture.ts";
import { openRecorded, type RecordedSession, textOf } from "./fixtures/recording-client.ts";
import { Mailbox } from "./fixtures/waiting.ts";

describe("our client with server-filesystem over stdio", () => {
  const atEnd = createAtEnd();
  let folder: string;
  const said = new Mailbox<string>();
  let channel: StdioChannel;
  let recorded: RecordedSession;
  before(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), "parley-interop-")));
    atEnd(() => rm(folder, { recursive: true }));
    const command = runPackage("@modelcontextprotocol/server-filesystem", folder);
    channel = createStdioChannel({ ...command, stderr: (line) => said.push(line) });
    recorded = await openRecorded(channel, { roots: [{ uri: pathToFileURL(folder).href, name: "work" }] });
    atEnd(() => recorded.session.close());
    await recorded.session.listTools().all();
  });

  it("lists tools with output schemas and hints", async () => {
    const tools = await recorded.session.listTools().all();
    const write = tools.find(({ name }) => name === "write_file");
    assert.ok(write?.outputSchema);
    assert.equal(write.annotations?.destructiveHint, true);
  });

  it("writes and reads files, with results that fit the listed schemas [TOOL-016] [STDIO-003] [STDIO-004]", async () => {
    const { session } = recorded;
    const path = join(folder, "größe.txt");
    const content = "eins\r\nzwei\u2028drei 🫖\n";
    await session.callTool("write_file", { path, content });
    assert.equal(await readFile(path, "utf8"), content);
    const read = await session.callTool("read_text_file", { path });
    assert.equal(textOf(read), content);
    assert.deepEqual(read.structuredContent, { content });
    assert.match(textOf(await session.callTool("list_directory", { path: folder })), /\[FILE\] größe\.txt/);
  });

  it("takes a picture as an image and other bytes as an embedded resource [TOOL-009] [TOOL-010]", async () => {
    const { session } = recorded;
    await writeFile(join(folder, "pixel.png"), Buffer.from(pngBase64, "base64"));
    await writeFile(join(folder, "some.bin"), Uint8Array.of(0, 255, 10));
    const image = await session.callTool("read_media_file", { path: join(folder, "pixel.png") });
    assert.deepEqual(image.content, [{ type: "image", data: pngBase64, mimeType: "image/png" }]);
    const bytes = await session.callTool("read_media_file", { path: join(folder, "some.bin") });
    assert.equal(bytes.content[0]?.type, "resource");
  });

  it("moves a large file through one line [STDIO-002] [PP-026]", async () => {
    const { session } = recorded;
    const path = join(folder, "large.txt");
    const content = "0123456789abcdef".repeat(200_000);
    await session.callTool("write_file", { path, content });
    // The text comes twice: as text and as structured content.
    const read = await session.callTool("read_text_file", { path });
    assert.equal(textOf(read).length, content.length);
  });

  it("gets refusals as failed results, and goes on [TOOL-020]", async () => {
    const { session } = recorded;
    const outside = await session.callTool("read_text_file", { path: "/etc/hostname" });
    assert.equal(outside.isError, true);
    assert.match(textOf(outside), /denied/);
    await session.ping();
  });

  it("opens a second folder by its roots [ROOT-002] [ROOT-004] [ROOT-003]", async () => {
    const { session, setRoots } = recorded;
    const second = await realpath(await mkdtemp(join(tmpdir(), "parley-interop-")));
    try {
      setRoots([pathToFileURL(folder).href, pathToFileURL(second).href]);
      await said.take("the server to have asked for the roots", (line) => line.includes("2 valid directories"));
      const allowed = textOf(await session.callTool("list_allowed_directories", {}));
      assert.ok(allowed.includes(second), allowed);
    } finally {
      await rm(second, { recursive: true });
    }
  });

  it("leaves no process behind [STDIO-010] [PP-023]", async () => {
    const { pid } = channel;
    assert.ok(pid !== undefined && isRunning(pid));
    await recorded.session.close();
    assert.equal(isRunning(pid), false);
  });
});
