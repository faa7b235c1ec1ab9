import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { UsageError } from "../../../base/error.ts";
import { AuthorizationRecord } from "../record.ts";
import { askEndpoint, type EndpointAnswer, type Refusal, toRefusalError } from "./endpoint-answer.ts";
import { findSecrets } from "./request-secrets.ts";

const { signal } = new AbortController();

function ask(body: string, init: ResponseInit = {}, secrets: readonly string[] = []): Promise<EndpointAnswer> {
  return askEndpoint({ send: async () => new Response(body, init), signal, secrets: () => secrets });
}

async function refusalOf(...parameters: Parameters<typeof ask>): Promise<Refusal> {
  const answer = await ask(...parameters);
  assert.equal(answer.ok, false);
  return answer as Refusal;
}

describe("askEndpoint", () => {
  it("gives a JSON object as it is, whatever success it comes with", async () => {
    assert.deepEqual(await ask(`{"a":1}`, { status: 201 }), { ok: true, body: { a: 1 } });
  });

  it("sees a refusal also where it comes as a success", async () => {
    const { oauthError } = await refusalOf(`{"error":"bad_code"}`, { status: 200 });
    assert.equal(oauthError, "bad_code");
  });

  it("tells an HTML page by its title", async () => {
    const html = "<!DOCTYPE html><html><title>Just a\nmoment</title><body>secret of the page</body></html>";
    const { problem } = await refusalOf(html, { headers: { "content-type": "text/html" } });
    assert.match(problem, /expected a JSON object, got 200 with an HTML page titled "Just a moment"/);
    assert.doesNotMatch(problem, /secret of the page/);
  });

  it("says what else came instead of JSON", async () => {
    assert.match((await refusalOf("", { status: 500 })).problem, /got 500 with an empty body/);
    assert.match((await refusalOf("[1]")).problem, /a body of type/);
    assert.match((await refusalOf("{}", { status: 400 })).problem, /JSON that names no error/);
    assert.match((await refusalOf(`{"error":{"message":"x"}}`, { status: 400 })).problem, /names no error/);
    assert.equal((await refusalOf(`${`{"a":`.repeat(40)}1${"}".repeat(40)}`)).isTransient, false);
  });

  it("takes an answer without a body where none is needed", async () => {
    const send = async (): Promise<Response> => new Response("");
    const answer = await askEndpoint({ send, signal, secrets: () => [], isBodyOptional: true });
    assert.deepEqual(answer, { ok: true, body: {} });
  });

  it("quotes a server briefly, in plain characters, without what was sent [AUTH-056]", async () => {
    const said = `\u202e\u001b[31m token s/1 and s%2F1 ${"x".repeat(1_000)}`;
    const { problem } = await refusalOf(JSON.stringify({ error: "e", error_description: said }), { status: 400 }, [
      "s/1",
    ]);
    assert.match(problem, /token \[secret\] and \[secret\] x/);
    assert.ok(problem.length < 400);
    assert.ok(!problem.includes("\u202e") && !problem.includes("\u001b"));
  });

  it("lets errors of this library through as they are", async () => {
    const error = new UsageError("so");
    const send = (): Promise<Response> => Promise.reject(error);
    await assert.rejects(askEndpoint({ send, signal, secrets: () => [] }), (reason) => reason === error);
  });
});

describe("toRefusalError", () => {
  it("names issuer and endpoint, without query, and takes the step down", () => {
    const record = new AuthorizationRecord(() => 5);
    const url = "https://as.example/token?key=hush#hush";
    const failure = { stage: "token", issuer: "https://as.example", url, what: "no tokens from" } as const;
    const error = toRefusalError(failure, { problem: "answered 400 e", isTransient: false, oauthError: "e" }, record);
    assert.equal(error.message, "no tokens from https://as.example: https://as.example/token: answered 400 e");
    assert.deepEqual(record.steps, [
      { atMs: 5, stage: "token", outcome: "failed", detail: "answered 400 e", url: "https://as.example/token" },
    ]);
  });
});

describe("findSecrets", () => {
  it("counts everything as secret that is not known to be public [AUTH-056] [X-CC-013]", () => {
    const parameters: [string, string][] = [
      ["grant_type", "g"],
      ["scope", "s"],
      ["resource", "r"],
      ["code", "hush-1"],
      ["unheard_of", "hush-2"],
      ["empty", ""],
    ];
    assert.deepEqual(findSecrets({}, parameters), ["hush-1", "hush-2"]);
  });

  it("finds the password in HTTP Basic, as sent and as meant [X-CC-013]", () => {
    const credentials = btoa("id:a%2Bb+c");
    assert.deepEqual(findSecrets({ authorization: `Basic ${credentials}` }, []), [credentials, "a%2Bb+c", "a+b c"]);
    assert.deepEqual(findSecrets({ authorization: "Bearer !!" }, []), ["!!"]);
  });
});
