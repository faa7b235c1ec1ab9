// Steps that look: lists, completion, resources, prompts.

import assert from "node:assert/strict";
import { toUri } from "./files.ts";
import { shorten, type Walk } from "./walk.ts";

/** See the head of this file. */
export async function readingSteps({ session, transcript, textFile, fileCount }: Walk): Promise<void> {
  await transcript.step("list tools", async () => {
    const tools = await session.listTools().all();
    assert.ok(tools.some(({ name, outputSchema }) => name === "search" && outputSchema !== undefined));
    return tools.map(({ name }) => name).join(", ");
  });

  await transcript.step("list resources", async () => {
    const pages: number[] = [];
    for await (const page of session.listResources().pages()) {
      pages.push(page.length);
    }
    const count = pages.reduce((sum, length) => sum + length, 0);
    assert.equal(count, fileCount);
    return `${count} files in ${pages.length} pages`;
  });

  await transcript.step("list templates, prompts", async () => {
    const templates = await session.listResourceTemplates().all();
    const prompts = await session.listPrompts().all();
    assert.deepEqual(
      templates.map(({ uriTemplate }) => uriTemplate),
      ["folder:///{+path}"],
    );
    assert.equal(prompts.length, 2);
    return [...templates.map(({ uriTemplate }) => uriTemplate), ...prompts.map(({ name }) => name)].join(", ");
  });

  await transcript.step("complete a path", async () => {
    const typed = textFile.slice(0, 3);
    const { values, total } = await session.complete({
      ref: { type: "ref/resource", uri: "folder:///{+path}" },
      argument: { name: "path", value: typed },
    });
    assert.ok(values.includes(textFile));
    return `"${typed}" gives ${total} of ${fileCount}: ${shorten(values.join(", "), 60)}`;
  });

  await transcript.step("read text", async () => {
    const [contents] = (await session.readResource(toUri(textFile))).contents;
    assert.ok(contents !== undefined && "text" in contents);
    return `${contents.uri}, ${contents.mimeType}, ${contents.text.length} characters`;
  });

  await readBinary({ session, transcript });

  await transcript.step("stay in the folder", async () => {
    for (const uri of ["folder:///../package.json", "folder:///%2e%2e/package.json", "folder:////etc/passwd"]) {
      await assert.rejects(session.readResource(uri), { name: /InvalidParamsError|RpcError/ });
    }
    return "three ways out of it are refused";
  });

  await transcript.step("get a prompt", async () => {
    const { messages } = await session.getPrompt("explain", { path: textFile, audience: "experts" });
    assert.equal(messages.at(-1)?.content.type, "resource");
    return `explain: ${messages.length} messages, the file embedded in the last`;
  });
}

async function readBinary({ session, transcript }: Pick<Walk, "session" | "transcript">): Promise<void> {
  const binary = (await session.listResources().all()).find(({ mimeType }) => mimeType?.startsWith("image/p"));
  if (binary === undefined) {
    transcript.skip("read bytes", "the folder has no PNG");
    return;
  }
  await transcript.step("read bytes", async () => {
    const [contents] = (await session.readResource(binary.uri)).contents;
    assert.ok(contents !== undefined && "blob" in contents);
    const bytes = Buffer.from(contents.blob, "base64");
    assert.equal(bytes.length, binary.size);
    return `${contents.uri}, ${contents.mimeType}, ${bytes.length} bytes, modified ${binary.annotations?.lastModified}`;
  });
}
