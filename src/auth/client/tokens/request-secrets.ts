/**
 * What is secret in a request to an authorization server, so that it can be kept out of messages.
 *
 * Everything is, except for what is known to be public: a parameter that nobody thought of stays hidden.
 */
import { decodeBase64 } from "../../../base/base64.ts";
import { decodeForm } from "./form-encoding.ts";

/** Parameters whose values may be shown. */
const publicParameters: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "audience",
  "client_assertion_type",
  "client_id",
  "grant_type",
  "redirect_uri",
  "requested_token_type",
  "resource",
  "scope",
  "subject_token_type",
  "token_type_hint",
]);

/**
 * The secrets of a request.
 *
 * @param headers - names in lower case
 * @param parameters - of its body
 */
export function findSecrets(
  headers: Readonly<Record<string, string>>,
  parameters: Iterable<readonly [string, string]>,
): readonly string[] {
  const secrets = [...parameters].filter(([name]) => !publicParameters.has(name)).map(([, value]) => value);
  const credentials = /^\S+ +(.+)$/.exec(headers.authorization ?? "")?.[1];
  if (credentials !== undefined) {
    secrets.push(credentials, ...readBasic(credentials));
  }
  return secrets.filter((secret) => secret !== "");
}

/** The password of HTTP Basic, as sent and as meant. */
function readBasic(credentials: string): readonly string[] {
  const bytes = decodeBase64(credentials);
  const text = bytes === undefined ? "" : new TextDecoder().decode(bytes);
  const password = text.slice(text.indexOf(":") + 1);
  return [password, decodeForm(password)];
}
