/** A script that runs in the server, where everything it does happens at once. It is known there by its digest. */

/** See {@link createScript}. */
export interface Script {
  readonly text: string;
  /** SHA-1 of the text in hexadecimal digits, by which a server that has seen the text runs it. */
  digest(): Promise<string>;
}

/** Makes a script of its text. All keys it touches are given to it, and share a hash tag. */
export function createScript(text: string): Script {
  let digest: Promise<string> | undefined;
  return {
    text,
    digest: () => {
      digest ??= computeDigest(text);
      return digest;
    },
  };
}

async function computeDigest(text: string): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest("SHA-1", new TextEncoder().encode(text)));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
