import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { alone, newest, withBatches } from "../../../test/fixtures/http/scripted-server.ts";
import { findHandshake, latestHandshake } from "../../revision/registry.ts";
import {
  classifyPost,
  namesStateless,
  type PlacementHeaders,
  readRevisionHeader,
  readSessionHeader,
  settleRevision,
} from "./classify.ts";
import { resolveHttpServerOptions } from "./options.ts";

const withSessions = resolveHttpServerOptions({});
const withoutSessions = resolveHttpServerOptions({ sessions: false });
const { revisions } = withSessions;
const envelope = {
  "io.modelcontextprotocol/protocolVersion": alone,
  "io.modelcontextprotocol/clientCapabilities": {},
};

const none: PlacementHeaders = { protocolVersion: undefined, sessionId: undefined };
const initialize = (protocolVersion: unknown) => ({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion },
});
const call = { jsonrpc: "2.0", id: 1, method: "x" };

describe("classifyPost", () => {
  it("takes the handshake's revision from its params, and the newest where they name no known one [HTTP-051]", () => {
    const revisionOf = (version: unknown): string | undefined => {
      const placement = classifyPost(initialize(version), { ...none, protocolVersion: "abc" }, withSessions);
      return placement.kind === "initialize" ? placement.revision.id : undefined;
    };
    assert.equal(revisionOf(withBatches), withBatches);
    for (const odd of ["1999-01-01", 7, undefined]) {
      assert.equal(revisionOf(odd), latestHandshake.id);
    }
  });

  it("leaves a second handshake in a session to the session", () => {
    const placement = classifyPost(initialize(newest), { ...none, sessionId: "abc" }, withSessions);
    assert.deepEqual([placement.kind, placement.kind === "session" && placement.sessionId], ["session", "abc"]);
  });

  it("needs a session exactly where the server gives them [HTTP-044]", () => {
    assert.equal(classifyPost(call, none, withSessions).kind, "refused");
    assert.equal(classifyPost(call, none, withoutSessions).kind, "standalone");
    assert.equal(classifyPost(call, { ...none, sessionId: "abc" }, withSessions).kind, "session");
  });

  it("looks at the message before the version, and at the version before the session", () => {
    const refusalOf = (value: unknown): string | undefined => {
      const placement = classifyPost(value, { ...none, protocolVersion: "abc" }, withSessions);
      return placement.kind === "refused" ? placement.refusal : undefined;
    };
    assert.equal(refusalOf({}), "invalidRequest");
    assert.equal(refusalOf(call), "badRevision");
  });
});

describe("classifyPost, of messages that say everything about themselves", () => {
  const named = { ...none, protocolVersion: alone };
  const kindOf = (value: unknown, headers = none, settings = withSessions): string =>
    classifyPost(value, headers, settings).kind;

  it("knows them by their metadata or by their header, whatever session they name [M-VER-005]", () => {
    const enveloped = { ...call, params: { _meta: envelope } };
    for (const settings of [withSessions, withoutSessions]) {
      assert.equal(kindOf(enveloped, none, settings), "selfContained");
      assert.equal(kindOf(enveloped, { protocolVersion: newest, sessionId: "abc" }, settings), "selfContained");
      assert.equal(kindOf(call, { protocolVersion: ` ${alone}\t`, sessionId: "abc" }, settings), "selfContained");
      assert.equal(kindOf({ jsonrpc: "2.0", method: "x" }, named, settings), "selfContained");
    }
    const partial = { ...call, params: { _meta: { "io.modelcontextprotocol/protocolVersion": 7 } } };
    assert.equal(kindOf(partial), "selfContained");
    assert.equal(kindOf({ ...call, params: { _meta: { progressToken: 1 } } }, none, withoutSessions), "standalone");
  });

  it("takes a handshake for one unless it carries such metadata, whatever its header [M-VER-006]", () => {
    assert.equal(kindOf(initialize(newest), named), "initialize");
    const odd = { ...initialize(newest), params: { protocolVersion: newest, _meta: envelope } };
    assert.equal(kindOf(odd), "selfContained");
  });

  it("refuses arrays and responses, also when only their content shows what they are [M-HTTP-002]", () => {
    const enveloped = { ...call, params: { _meta: envelope } };
    const response = { jsonrpc: "2.0", id: 1, result: {} };
    for (const body of [[], [call], response, { jsonrpc: "2.0", error: { code: 1, message: "" } }]) {
      assert.equal(kindOf(body, named), "refused", JSON.stringify(body));
    }
    assert.equal(kindOf([enveloped], none, withoutSessions), "refused");
    assert.equal(kindOf([call], none, withoutSessions), "standalone");
  });

  it("sees nothing but them where no other revision is served, and none where they are not [M-HTTP-018]", () => {
    const only = resolveHttpServerOptions({ revisions: [alone] });
    assert.equal(kindOf(call, none, only), "selfContained");
    assert.equal(kindOf(initialize(newest), none, only), "selfContained");
    const handshakes = resolveHttpServerOptions({ revisions: [newest] });
    assert.equal(kindOf({ ...call, params: { _meta: envelope } }, named, handshakes), "refused");
  });

  it("offers the newest revision served where another handshake is asked for, and means none that is not", () => {
    const settings = resolveHttpServerOptions({ revisions: ["2025-06-18", alone], sessions: false });
    for (const version of [newest, withBatches, "1999-01-01"]) {
      const placement = classifyPost(initialize(version), none, settings);
      assert.ok(placement.kind === "initialize");
      assert.equal(placement.revision.id, "2025-06-18");
    }
    const bare = classifyPost(call, none, settings);
    assert.deepEqual(bare.kind === "refused" && [bare.code, bare.id], [-32020, 1]);
    assert.equal(kindOf(call, { ...none, protocolVersion: newest }, settings), "refused");
  });
});

describe("namesStateless", () => {
  it("compares exact ids, without the blanks around", () => {
    assert.equal(namesStateless(`${alone} `, revisions), true);
    for (const other of [newest, "20260728", "", undefined]) {
      assert.equal(namesStateless(other, revisions), false);
    }
    assert.equal(namesStateless(alone, resolveHttpServerOptions({ revisions: [newest] }).revisions), false);
  });
});

describe("readRevisionHeader", () => {
  it("tells nothing, a revision and rubbish apart [HTTP-051]", () => {
    assert.equal(readRevisionHeader(undefined, revisions), undefined);
    const known = readRevisionHeader(newest, revisions);
    assert.equal(known?.kind === "revision" && known.revision, findHandshake(newest));
    assert.equal(readRevisionHeader("", revisions)?.kind, "refused");
  });
});

describe("readSessionHeader", () => {
  it("takes what can be an id and refuses the rest [HTTP-041] [HTTP-044]", () => {
    assert.equal(readSessionHeader("abc").kind, "sessionId");
    assert.equal(readSessionHeader("a b").kind, "refused");
    assert.equal(readSessionHeader(undefined).kind, "refused");
  });
});

describe("settleRevision", () => {
  it("keeps to what was negotiated, and refuses another only when strict", () => {
    const [declared, negotiated] = [findHandshake(withBatches), latestHandshake];
    assert.deepEqual(settleRevision(declared, negotiated, false), { kind: "revision", revision: negotiated });
    assert.equal(settleRevision(declared, negotiated, true).kind, "refused");
    assert.equal(settleRevision(undefined, negotiated, true).kind, "revision");
  });
});
