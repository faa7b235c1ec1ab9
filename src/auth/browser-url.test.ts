import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { checkBrowserUrl } from "./browser-url.ts";

describe("checkBrowserUrl", () => {
  it("lets a person be sent to https:, and to http: on this machine only [SEC-024]", () => {
    for (const url of [
      "https://as.example/authorize?client_id=a",
      "http://localhost:1234/x",
      "http://127.0.0.1/",
      "http://[::1]/",
    ]) {
      assert.equal(checkBrowserUrl(url), undefined, url);
    }
    assert.match(checkBrowserUrl("http://as.example/authorize") ?? "", /expected https:.*got http: to as\.example/);
  });

  it("refuses schemes that run or show something, and unknown ones [SEC-024] [SEC-025]", () => {
    const hostile = ["javascript:alert(1)", "JaVaScRiPt:alert(1)", "data:text/html,<script>", "file:///etc/passwd"];
    for (const url of [...hostile, "vbscript:msgbox", "foo:bar", "ms-settings:x", "mailto:a@b.c", "blob:https://a/b"]) {
      assert.match(checkBrowserUrl(url) ?? "", /expected https:/, url);
    }
  });

  it("refuses control characters, user info and texts that are no URL [SEC-027]", () => {
    const hostile = [
      "java\nscript:alert(1)",
      " https://as.example/",
      "https://as.example/\u0000",
      "https://as.example\\@evil.example",
    ];
    for (const url of [...hostile, "https://as.example@evil.example/", "", "authorize", "https://a.example/ --flag"]) {
      assert.equal(typeof checkBrowserUrl(url), "string", url);
    }
  });
});
