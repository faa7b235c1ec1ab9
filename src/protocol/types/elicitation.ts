/**
 * Elicitation: a server asking the person at the client, by a form or by a page to open. Judging schemas
 * is `protocol/elicitation-schema.ts`, judging answers `protocol/elicitation-content.ts`.
 */
import type { FinalResult, NotificationParams, TaskAugmentedRequestParams } from "./message.ts";

interface FieldMetadata {
  title?: string;
  description?: string;
}

/** A text field. Specification: Client > Elicitation > Requested Schema. */
export interface StringSchema extends FieldMetadata {
  type: "string";
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  format?: "email" | "uri" | "date" | "date-time";
  default?: string;
}

/** A number field. Specification: Client > Elicitation > Requested Schema. */
export interface NumberSchema extends FieldMetadata {
  type: "number" | "integer";
  minimum?: number;
  maximum?: number;
  default?: number;
}

/** A yes-or-no field. Specification: Client > Elicitation > Requested Schema. */
export interface BooleanSchema extends FieldMetadata {
  type: "boolean";
  default?: boolean;
}

/** One choice whose value differs from what is shown. Specification: Client > Elicitation > Requested Schema. */
export interface TitledOption {
  const: string;
  title: string;
}

/** A choice of one among plain values. Specification: Client > Elicitation > Requested Schema. */
export interface UntitledSingleSelectEnumSchema extends FieldMetadata {
  type: "string";
  enum: string[];
  default?: string;
}

/** A choice of one among titled values. Specification: Client > Elicitation > Requested Schema. */
export interface TitledSingleSelectEnumSchema extends FieldMetadata {
  type: "string";
  oneOf: TitledOption[];
  default?: string;
}

/** A choice of several among plain values. Specification: Client > Elicitation > Requested Schema. */
export interface UntitledMultiSelectEnumSchema extends FieldMetadata {
  type: "array";
  items: { type: "string"; enum: string[] };
  minItems?: number;
  maxItems?: number;
  default?: string[];
}

/** A choice of several among titled values. Specification: Client > Elicitation > Requested Schema. */
export interface TitledMultiSelectEnumSchema extends FieldMetadata {
  type: "array";
  items: { anyOf: TitledOption[] };
  minItems?: number;
  maxItems?: number;
  default?: string[];
}

/** The older form of a titled choice, still accepted. Specification: Client > Elicitation > Requested Schema. */
export interface LegacyTitledEnumSchema extends FieldMetadata {
  type: "string";
  enum: string[];
  /** Display names in the order of `enum`. */
  enumNames?: string[];
  default?: string;
}

/** Any choice. Specification: Client > Elicitation > Requested Schema. */
export type EnumSchema =
  | UntitledSingleSelectEnumSchema
  | TitledSingleSelectEnumSchema
  | UntitledMultiSelectEnumSchema
  | TitledMultiSelectEnumSchema
  | LegacyTitledEnumSchema;

/** Any field of a form. Specification: Client > Elicitation > Requested Schema. */
export type PrimitiveSchemaDefinition = StringSchema | NumberSchema | BooleanSchema | EnumSchema;

/** A form: flat, primitive fields only. Specification: Client > Elicitation > Requested Schema. */
export interface RequestedSchema {
  $schema?: string;
  type: "object";
  properties: { [field: string]: PrimitiveSchemaDefinition };
  required?: string[];
}

/** Params of `elicitation/create` in form mode, which is meant when the mode is absent. Specification: Client > Elicitation > Form Mode. */
export interface ElicitRequestFormParams extends TaskAugmentedRequestParams {
  mode?: "form";
  message: string;
  requestedSchema: RequestedSchema;
}

/** Params of `elicitation/create` in URL mode. Specification: Client > Elicitation > URL Mode. */
export interface ElicitRequestURLParams extends TaskAugmentedRequestParams {
  mode: "url";
  message: string;
  url: string;
  /** Opaque, unique within the server; absent where elicitations travel inside results. */
  elicitationId?: string;
}

/** Params of `elicitation/create`; `mode` tells which. Specification: Client > Elicitation. */
export type ElicitRequestParams = ElicitRequestFormParams | ElicitRequestURLParams;

/** What a form may be filled with. Specification: Client > Elicitation > Response Actions. */
export interface ElicitContent {
  [field: string]: string | number | boolean | string[];
}

/** What the person decided. Specification: Client > Elicitation > Response Actions. */
export interface ElicitResult extends FinalResult {
  action: "accept" | "decline" | "cancel";
  /** The filled form; only with `accept` in form mode. */
  content?: ElicitContent;
}

/** What was asked for by URL has happened. Specification: Client > Elicitation > Completion Notifications. */
export interface ElicitationCompleteNotificationParams extends NotificationParams {
  elicitationId: string;
}
