// What kind of file a name stands for. Names that say nothing are judged by the bytes when the file is read.

const byExtension: Readonly<Record<string, string>> = {
  css: "text/css",
  csv: "text/csv",
  gif: "image/gif",
  htm: "text/html",
  html: "text/html",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  js: "text/javascript",
  json: "application/json",
  md: "text/markdown",
  mp3: "audio/mpeg",
  pdf: "application/pdf",
  png: "image/png",
  svg: "image/svg+xml",
  ts: "text/x-typescript",
  tsv: "text/tab-separated-values",
  txt: "text/plain",
  wav: "audio/wav",
  webp: "image/webp",
  xml: "application/xml",
  yaml: "application/yaml",
  yml: "application/yaml",
};

/** The media type of a file by its name; `undefined` for an extension that is not known here. */
export function mediaTypeOf(path: string): string | undefined {
  const extension = /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? "";
  return Object.hasOwn(byExtension, extension) ? byExtension[extension] : undefined;
}

/** The bytes as text, where they are text: valid UTF-8 without NUL. */
export function decodeIfText(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return text.includes("\0") ? undefined : text;
  } catch {
    // Not UTF-8, so it is not text for us; the caller sends bytes.
    return undefined;
  }
}
