// Resources: fixed ones, a template that lists and completes, reading text and bytes, and subscriptions.

import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { connect } from "parley-mcp/connect";
import { defineServer, resource, template } from "parley-mcp/server";

const notes = new Map([
  ["house/shopping", "milk"],
  ["office/today", "write documentation"],
]);

// #region define
const pixel = resource(
  { uri: "note:///logo", mimeType: "image/png", size: 4, annotations: { audience: ["user"], priority: 0.2 } },
  () => Uint8Array.of(0x89, 0x50, 0x4e, 0x47),
);

const note = template(
  {
    uriTemplate: "note:///{folder}/{name}",
    description: "A note",
    mimeType: "text/plain",
    complete: {
      folder: ["house", "office"],
      name: (typed, { arguments: chosen }) =>
        [...notes.keys()].flatMap((key) => {
          const [folder, name = ""] = key.split("/");
          return folder === chosen.folder && name.startsWith(typed) ? [name] : [];
        }),
    },
    list: () => [...notes.keys()].map((key) => ({ uri: `note:///${key}`, name: key })),
  },
  ({ folder, name }) => notes.get(`${folder}/${name}`), // undefined means: no such resource
);

const app = defineServer({ name: "notes", version: "1.0.0", resources: { logo: pixel }, templates: { note } });

function write(key: string, text: string): void {
  notes.set(key, text);
  app.notifyResourceUpdated(`note:///${key}`); // only whoever subscribed is told
}
// #endregion

const client = await connect(app);

// #region read
const listed = await client.listResources().all();
assert.deepEqual(
  listed.map(({ uri }) => uri),
  ["note:///logo", "note:///house/shopping", "note:///office/today"],
);
const [logo] = (await client.readResource("note:///logo")).contents;
assert.ok(logo !== undefined && "blob" in logo && logo.blob === "iVBORw==");

const { values } = await client.complete({
  ref: { type: "ref/resource", uri: "note:///{folder}/{name}" },
  argument: { name: "name", value: "t" },
  context: { arguments: { folder: "office" } },
});
assert.deepEqual(values, ["today"]);

await assert.rejects(client.readResource("note:///house/nothing"), { code: "MCP_RESOURCE_NOT_FOUND" });
await assert.rejects(client.readResource("note:///..%2f..%2fetc/passwd"), { rpcCode: -32602 });
// #endregion

// #region subscribe
const updates = new EventEmitter();
const subscription = await client.subscribe(
  "note:///house/shopping",
  ({ contents = [] }) => updates.emit("update", contents[0]),
  { reread: true },
);
const update = once(updates, "update");
write("house/shopping", "milk, bread");
const [contents] = await update;
assert.equal(contents.text, "milk, bread");
await subscription.unsubscribe();
// #endregion

await client.close();
