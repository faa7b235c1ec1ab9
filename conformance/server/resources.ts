// Resources of the server fixture: text, bytes, one to watch, and a family of them.

import { resource, template } from "parley-mcp/server";
import { redPixel } from "./samples.ts";

/** See the head of this file. */
export const resources = {
  "static-text": resource(
    {
      uri: "test://static-text",
      description: "A text that never changes",
      mimeType: "text/plain",
      cache: { ttlMs: 3_600_000, scope: "public" },
    },
    () => "This is the content of the static text resource.",
  ),

  "static-binary": resource(
    { uri: "test://static-binary", description: "A picture that never changes", mimeType: "image/png" },
    () => ({ blob: redPixel }),
  ),

  "watched-resource": resource(
    { uri: "test://watched-resource", description: "A text to subscribe to", mimeType: "text/plain" },
    () => "Watched resource content",
  ),
};

/** Resources by a template. */
export const templates = {
  "template-data": template(
    {
      uriTemplate: "test://template/{id}/data",
      description: "Data by id",
      mimeType: "application/json",
    },
    ({ id }) => JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
  ),
};
