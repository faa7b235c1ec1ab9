import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { answer, createRig, FakeStream, handshake, json } from "../../../test/fixtures/http/fake-endpoint.ts";

const ask = { method: "tools/call" };

function redirect(status: number, location: string): Response {
  return new Response(null, { status, headers: { location } });
}

describe("readRedirect", () => {
  it("follows 307 and 308 of a POST within the origin, with the same body and headers", async () => {
    for (const status of [307, 308]) {
      const rig = await createRig({ headers: { "x-key": "value" } });
      rig.endpoint.handlers["tools/call"] = ({ url, message }) =>
        url.endsWith("/mcp/") ? json(answer(message, { url })) : redirect(status, "/mcp/");
      assert.deepEqual(await rig.link.request(ask), { url: "https://server.test/mcp/" });
      const [first, second] = rig.endpoint.received;
      assert.equal(second?.text, first?.text);
      assert.deepEqual(second?.headers, first?.headers);
    }
  });

  it("follows any redirect of a GET within the origin", async () => {
    const rig = await createRig();
    rig.endpoint.handlers.GET = ({ url }) =>
      url.endsWith("/events") ? new FakeStream().response : redirect(302, "/events");
    await handshake(rig);
    assert.deepEqual(rig.states, ["open"]);
  });

  it("sends nothing to another origin, and says where it pointed, without its query [PP-100]", async () => {
    for (const location of ["https://evil.test/mcp?token=secret-1", "http://server.test/mcp", "//evil.test/"]) {
      const rig = await createRig({ headers: { authorization: "Bearer secret" } });
      rig.endpoint.handlers["tools/call"] = () => redirect(307, location);
      await assert.rejects(rig.link.request(ask), (error: Error & { status?: number }) => {
        assert.equal(error.status, 307);
        assert.match(
          error.message,
          /redirected to https?:\/\/(evil|server)\.test\/(mcp)?, which was not followed because it leads to another origin/,
        );
        assert.doesNotMatch(error.message, /secret/);
        return true;
      });
      assert.equal(rig.endpoint.received.length, 1);
    }
  });

  it("does not turn a POST into a GET", async () => {
    for (const status of [301, 302, 303]) {
      const rig = await createRig();
      rig.endpoint.handlers["tools/call"] = () => redirect(status, "/other");
      await assert.rejects(rig.link.request(ask), {
        code: "MCP_HTTP",
        status,
        message: /a POST only follows 307 and 308/,
      });
    }
  });

  it("ends a circle of redirects", async () => {
    const rig = await createRig();
    rig.endpoint.handlers["tools/call"] = () => redirect(307, "/mcp");
    await assert.rejects(rig.link.request(ask), { code: "MCP_HTTP", message: /redirect number 6/ });
    assert.equal(rig.endpoint.received.length, 6);
  });

  it("refuses a redirect that a browser hides, and one to nowhere", async () => {
    const rig = await createRig();
    rig.endpoint.handlers["tools/call"] = () =>
      Object.defineProperty(new Response(), "type", { value: "opaqueredirect" });
    await assert.rejects(rig.link.request(ask), { code: "MCP_HTTP", message: /where it leads is not known/ });
    rig.endpoint.handlers["tools/call"] = () => redirect(307, "http://");
    await assert.rejects(rig.link.request(ask), { code: "MCP_HTTP", message: /it leads nowhere/ });
  });
});
