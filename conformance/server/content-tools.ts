// Tools of the server fixture that answer at once: one for each kind of content, a failure, and a schema to look at.

import { audio, embed, error, image, text, tool } from "parley-mcp/server";
import { redPixel, silence } from "./samples.ts";

/** A schema as rich as JSON Schema 2020-12 allows; it reaches clients word for word. */
const contactSchema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  $defs: {
    address: {
      $anchor: "addressDef",
      type: "object",
      properties: { street: { type: "string" }, city: { type: "string" } },
    },
  },
  properties: {
    name: { type: "string" },
    address: { $ref: "#/$defs/address" },
    contactMethod: { type: "string", enum: ["phone", "email"] },
    phone: { type: "string" },
    email: { type: "string" },
  },
  allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
  if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: ["phone"] },
  else: { required: ["email"] },
  additionalProperties: false,
} as const;

/** An argument that HTTP clients repeat in a header, where their revision has that. */
const mirroredSchema = {
  type: "object",
  properties: { region: { type: "string", description: "Where to look", "x-mcp-header": "Region" } },
  required: ["region"],
} as const;

/** See the head of this file. */
export const contentTools = {
  test_simple_text: tool({ description: "Answers with text" }, () => "This is a simple text response for testing."),

  test_image_content: tool({ description: "Answers with a picture" }, () => image(redPixel, "image/png")),

  test_audio_content: tool({ description: "Answers with a sound" }, () => audio(silence, "audio/wav")),

  test_embedded_resource: tool({ description: "Answers with a resource, carried whole" }, () =>
    embed({
      uri: "test://embedded-resource",
      mimeType: "text/plain",
      text: "This is an embedded resource content.",
    }),
  ),

  test_multiple_content_types: tool({ description: "Answers with text, a picture and a resource" }, () => [
    text("Multiple content types test:"),
    image(redPixel, "image/png"),
    embed({
      uri: "test://mixed-content-resource",
      mimeType: "application/json",
      text: JSON.stringify({ test: "data", value: 123 }),
    }),
  ]),

  test_error_handling: tool({ description: "Always fails" }, () =>
    error("This tool intentionally returns an error for testing"),
  ),

  json_schema_2020_12_tool: tool(
    { description: "Tool with JSON Schema 2020-12 features", input: contactSchema },
    (contact) => `Got ${JSON.stringify(contact)}`,
  ),

  test_mirrored_argument: tool(
    { description: "Takes an argument that travels in a header too", input: mirroredSchema },
    ({ region }) => `Looked in ${region}`,
  ),
};
