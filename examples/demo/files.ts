// The folder's files as MCP resources: one entry per file in the list, a template for any path, and completion of paths.

import { embed, resource, template } from "parley-mcp/server";
import type { FileEntry, Folder } from "./folder.ts";
import { decodeIfText, mediaTypeOf } from "./media-types.ts";

const scheme = "folder:///";

/** The URI of a file. */
export function toUri(path: string): string {
  return scheme + path.split("/").map(encodeURIComponent).join("/");
}

/** A file as a resource: what the list says of it, and reading it. */
export function toResource(folder: Folder, { path, size, modifiedMs, mimeType }: FileEntry) {
  return resource(
    {
      uri: toUri(path),
      title: path,
      mimeType,
      size,
      annotations: { lastModified: new Date(modifiedMs).toISOString() },
    },
    () => readContents(folder, path),
  );
}

/** Any file by its path. */
export function createFileTemplate(folder: Folder) {
  return template(
    {
      uriTemplate: "folder:///{+path}",
      title: "A file of the folder",
      description: "The file with this path, as text where it is text",
      complete: { path: (typed) => completePath(folder, typed) },
    },
    ({ path }) => readContents(folder, path),
  );
}

/** Paths for what was typed: those that begin with it first, then those that hold it. */
export async function completePath(folder: Folder, typed: string): Promise<string[]> {
  const wanted = typed.toLowerCase();
  const paths = (await folder.scan()).files.map(({ path }) => path);
  const holding = paths.filter((path) => path.toLowerCase().includes(wanted));
  const rank = (path: string): number => (path.toLowerCase().startsWith(wanted) ? 0 : 1);
  return holding.sort((one, other) => rank(one) - rank(other));
}

/** A file carried whole inside a message. */
export async function embedFile(folder: Folder, path: string) {
  const contents = await readContents(folder, path);
  return contents === undefined ? undefined : embed({ uri: toUri(path), ...contents });
}

type FileContents = { readonly mimeType: string } & ({ readonly text: string } | { readonly bytes: Uint8Array });

/** The contents of a file, as text where it is text; nothing where there is no such file. */
async function readContents(folder: Folder, path: string): Promise<FileContents | undefined> {
  const bytes = await folder.read(path);
  if (bytes === undefined) {
    return undefined;
  }
  const type = mediaTypeOf(path);
  const isOpaque = type !== undefined && /^(?:image\/(?!svg)|audio\/|application\/pdf)/.test(type);
  const text = isOpaque ? undefined : decodeIfText(bytes);
  return text === undefined
    ? { bytes, mimeType: type ?? "application/octet-stream" }
    : { text, mimeType: type ?? "text/plain" };
}
