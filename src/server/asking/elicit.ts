/**
 * Asking the person at the client by a form: what may be asked, and the answer checked once more, defaults filled in.
 *
 * Asking by a page to open is url-elicitation.ts. A person takes time: silence has no limit, an hour is the total.
 * Specification: Client > Elicitation > Form Mode.
 */
import type { OnDiagnostic } from "../../base/diagnostic.ts";
import { UsageError } from "../../base/error.ts";
import { isObject } from "../../base/json.ts";
import { checkFormContent } from "../../protocol/elicitation-content.ts";
import { checkRequestedSchema, defaultsOf } from "../../protocol/elicitation-schema.ts";
import type { RequestedSchema } from "../../protocol/types/elicitation.ts";
import { SchemaError } from "../../schema/error.ts";
import type { SchemaOutput } from "../../schema/infer.ts";
import { describeIssues } from "../../schema/issue.ts";
import { type ArgumentSchema, toArgumentSchema } from "../../schema/parse.ts";
import type { AcceptedSchema } from "../../schema/standard.ts";
import type { ElicitOptions, ElicitOutcome } from "../requests/context.ts";
import { type AskTarget, assertAskable, humanTimeouts, toAnswerError } from "./input.ts";
import { askAsWished } from "./task-question.ts";

interface Form {
  readonly requestedSchema: RequestedSchema;
  readonly schema: ArgumentSchema;
}

/** Forms by the schema they came from, so that a schema is prepared once. */
const forms = /* @__PURE__ */ new WeakMap<object, Form>();

/**
 * Asks by a form.
 *
 * @throws MissingCapabilityError where the client has no forms, with nothing sent [ELIC-002]
 * @throws UsageError for a form that may not be shown: nested, or asking for a secret [ELIC-007, ELIC-015]
 * @throws PeerError where an accepted answer does not fit the form [ELIC-014]
 */
export async function askForm<Schema extends AcceptedSchema>(
  target: AskTarget,
  message: string,
  schema: Schema,
  { allowSecretLookingFields = [], ...options }: ElicitOptions,
  onDiagnostic: OnDiagnostic,
): Promise<ElicitOutcome<SchemaOutput<Schema>>> {
  const form = toForm(schema);
  const { requestedSchema } = form;
  assertNoSecrets(requestedSchema, allowSecretLookingFields);
  warnOfLinks(message, requestedSchema, onDiagnostic);
  assertAskable(target, { method: "elicitation/create", params: { mode: "form" } });
  const params = { message, requestedSchema };
  const { action, content } = await askAsWished(target, "elicitation/create", params, {
    ...humanTimeouts,
    ...options,
  });
  if (action !== "accept") {
    return { action };
  }
  const read = await readContent(form, content);
  if (!read.ok) {
    throw toAnswerError(target, `elicitation/create: ${read.problem}`);
  }
  return { action, content: read.value as SchemaOutput<Schema> };
}

type Content = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly problem: string };

async function readContent({ requestedSchema, schema }: Form, content: unknown): Promise<Content> {
  const filled = { ...defaultsOf(requestedSchema), ...(isObject(content) ? content : undefined) };
  const known = Object.entries(filled).filter(([name]) => Object.hasOwn(requestedSchema.properties, name));
  const answer = Object.fromEntries(known);
  const problem = checkFormContent(requestedSchema, answer);
  if (problem !== undefined) {
    return { ok: false, problem: `the client accepted with content that does not fit the form: ${problem}` };
  }
  const parsed = await schema.parse(answer);
  return parsed.ok
    ? { ok: true, value: parsed.value }
    : { ok: false, problem: `the answer does not fit the schema: ${describeIssues(parsed.issues)}` };
}

function toForm(schema: AcceptedSchema): Form {
  const known = forms.get(schema);
  if (known !== undefined) {
    return known;
  }
  const parsed = prepare(schema);
  const { type, properties, required } = parsed.jsonSchema;
  const requestedSchema = { type, properties, ...(required === undefined ? undefined : { required }) };
  const problem = checkRequestedSchema(requestedSchema, "schema");
  if (problem !== undefined) {
    throw new UsageError(
      `elicit: a form has flat fields only (text, number, yes or no, choices): ${problem}; ask several times, or by URL`,
    );
  }
  const form = { requestedSchema: requestedSchema as RequestedSchema, schema: parsed };
  forms.set(schema, form);
  return form;
}

function prepare(schema: AcceptedSchema): ArgumentSchema {
  try {
    return toArgumentSchema(schema);
  } catch (error) {
    throw error instanceof SchemaError ? new UsageError(`elicit: ${error.message}`, { cause: error }) : error;
  }
}

const secretLooking =
  /pass(?:word|wd|phrase|code)|secret|api_?-?key|(?:access|auth|refresh|bearer)_?-?token|private_?-?key|credit_?-?card|card_?-?number|cvv|cvc|^ssn$|^pin$/i;

function assertNoSecrets({ properties }: RequestedSchema, allowed: readonly string[]): void {
  const field = Object.keys(properties).find((name) => secretLooking.test(name) && !allowed.includes(name));
  if (field !== undefined) {
    throw new UsageError(
      `elicit: the field ${JSON.stringify(field)} looks like a secret, and forms must not ask for secrets, because the ` +
        "client sees them; use elicitUrl, or list the field in allowSecretLookingFields if it is none",
    );
  }
}

/** Links belong into URL mode, where the person sees where they lead [ELIC-037]. */
function warnOfLinks(message: string, { properties }: RequestedSchema, onDiagnostic: OnDiagnostic): void {
  const texts = [message, ...Object.values(properties).flatMap(({ title, description }) => [title, description])];
  const found = texts.find((text) => text !== undefined && /\bhttps?:\/\/|\bwww\./i.test(text));
  if (found !== undefined) {
    onDiagnostic({
      code: "MCP_D_ELICITATION_LINK",
      message: "elicit: a form's text holds a link; send people to pages with elicitUrl instead",
      detail: found,
    });
  }
}
