/** SHA-256 of texts, for keys under which nobody can read the text, and for comparing with what a proof says. */
import { encodeBase64Url } from "../../base/base64url.ts";

/** The SHA-256 of a text in UTF-8, as URL-safe base64 without padding. */
export async function hashText(text: string): Promise<string> {
  return encodeBase64Url(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))));
}
