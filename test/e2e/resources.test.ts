// Resources and templates, seen from outside: listing, reading text and bytes, what is not there.

import assert from "node:assert/strict";
import { defineServer, resource, template } from "parley-mcp/server";
import { scenario, verifies } from "./verifies.ts";

const identity = { name: "demo", version: "1.0.0" };
const bytes = new Uint8Array([0, 255]);

const library = () =>
  defineServer({
    ...identity,
    resources: {
      motd: resource(
        {
          uri: "note:///motd",
          title: "Message of the day",
          mimeType: "text/plain",
          size: 12,
          annotations: { priority: 1 },
        },
        () => "Good morning",
      ),
      logo: resource({ uri: "note:///logo", mimeType: "image/png" }, () => bytes),
      both: resource({ uri: "note:///both" }, () => [
        { text: "words", mimeType: "text/plain" },
        { uri: "note:///both#1", bytes, mimeType: "image/png" },
      ]),
      broken: resource({ uri: "note:///broken" }, () => {
        throw new Error("secret path /etc/demo");
      }),
    },
    templates: {
      note: template({ uriTemplate: "note://{folder}/{id}", mimeType: "text/plain" }, ({ folder, id }) =>
        id === "none" ? undefined : `${folder} and ${id}`,
      ),
    },
  });

verifies("resources", [
  scenario({
    title: "lists resources with uri and name, and templates beside them [RES-001] [RES-002] [RES-003] [RES-011]",
    app: library,
    run: async ({ client, wire, revision }) => {
      const [motd, ...others] = await client.listResources().all();
      assert.deepEqual(motd, {
        uri: "note:///motd",
        name: "motd",
        mimeType: "text/plain",
        size: 12,
        annotations: { priority: 1 },
        ...(revision >= "2025-06-18" ? { title: "Message of the day" } : undefined),
      });
      assert.deepEqual(
        others.map(({ uri }) => uri),
        ["note:///logo", "note:///both", "note:///broken"],
      );
      const templates = await client.listResourceTemplates().all();
      assert.deepEqual(templates, [{ uriTemplate: "note://{folder}/{id}", name: "note", mimeType: "text/plain" }]);
      assert.deepEqual(wire.methods("client").slice(-2), ["resources/list", "resources/templates/list"]);
    },
  }),
  scenario({
    title: "reads text as text, bytes as base64, and several parts at once [RES-004] [RES-005]",
    app: library,
    run: async ({ client }) => {
      const motd = await client.readResource("note:///motd");
      assert.deepEqual(motd.contents, [{ uri: "note:///motd", mimeType: "text/plain", text: "Good morning" }]);
      const logo = await client.readResource("note:///logo");
      assert.deepEqual(logo.contents, [{ uri: "note:///logo", mimeType: "image/png", blob: "AP8=" }]);
      const both = await client.readResource("note:///both");
      assert.deepEqual(both.contents, [
        { uri: "note:///both", mimeType: "text/plain", text: "words" },
        { uri: "note:///both#1", mimeType: "image/png", blob: "AP8=" },
      ]);
    },
  }),
  scenario({
    title: "reads what a template matches, its variables decoded [RES-003] [PP-077]",
    app: library,
    run: async ({ client }) => {
      const { contents } = await client.readResource("note://caf%C3%A9/a%20b");
      assert.deepEqual(contents, [{ uri: "note://caf%C3%A9/a%20b", mimeType: "text/plain", text: "café and a b" }]);
    },
  }),
  scenario({
    title:
      "answers -32002, or -32602 where requests stand alone, with the URI where there is nothing, and -32603 without details for a failure [RES-006] [BASE-018] [OLEG-006] [M-RES-001] [M-ERR-005]",
    app: library,
    run: async ({ client, isAlone }) => {
      for (const uri of ["note:///gone/here", "note://a/none", "other:thing"]) {
        await assert.rejects(client.readResource(uri), {
          code: "MCP_RESOURCE_NOT_FOUND",
          rpcCode: isAlone ? -32602 : -32002,
          remote: true,
          data: { uri },
        });
      }
      await assert.rejects(client.readResource("note:///broken"), { rpcCode: -32603, message: "internal error" });
    },
  }),
  scenario({
    title: "refuses values that climb out of a folder [RES-017]",
    app: library,
    run: async ({ client }) => {
      for (const uri of ["note://a/..%2F..%2Fetc", "note://..%2F/b", "note://a/%00"]) {
        await assert.rejects(client.readResource(uri), { code: "MCP_INVALID_PARAMS", remote: true });
      }
    },
  }),
]);
