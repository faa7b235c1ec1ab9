/** Texts as a form carries them (application/x-www-form-urlencoded), without a form around them. */

/** Encodes one value: a space as `+`, and letters, digits, `*`, `-`, `.` and `_` as they are. */
export function encodeForm(text: string): string {
  return new URLSearchParams({ "": text }).toString().slice(1);
}

/** Decodes one value. What is encoded wrongly stays as it is. */
export function decodeForm(text: string): string {
  return new URLSearchParams(`=${text.replaceAll("&", "%26")}`).get("") ?? "";
}
