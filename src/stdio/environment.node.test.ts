import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { UsageError } from "../base/error.ts";
import { createEnvironment, type EnvironmentMode, safeVariables } from "./environment.node.ts";

const host = {
  PATH: "/bin",
  HOME: "/users/a",
  HTTPS_PROXY: "http://proxy",
  https_proxy: "http://proxy",
  NODE_EXTRA_CA_CERTS: "/ca.pem",
  TMPDIR: "/tmp",
  GITHUB_TOKEN: "secret",
  AWS_SECRET_ACCESS_KEY: "secret",
  NODE_OPTIONS: "--inspect",
  SHELL: "() { echo pwned; }",
};

describe("createEnvironment", () => {
  it("takes what programs need from the host and nothing else, with proxies and authorities [PP-031]", () => {
    assert.deepEqual(createEnvironment({ mode: "safe", host, platform: "linux" }), {
      PATH: "/bin",
      HOME: "/users/a",
      HTTPS_PROXY: "http://proxy",
      https_proxy: "http://proxy",
      NODE_EXTRA_CA_CERTS: "/ca.pem",
      TMPDIR: "/tmp",
    });
  });

  it("takes all or nothing when told to [PP-031]", () => {
    assert.deepEqual(createEnvironment({ mode: "inherit", host, platform: "linux" }), host);
    assert.deepEqual(createEnvironment({ mode: "none", host, platform: "linux" }), {});
    assert.equal(createEnvironment({ mode: "inherit" }).PATH, process.env.PATH);
  });

  it("lets the caller's values win in every mode, and take variables away [PP-031]", () => {
    for (const mode of ["safe", "inherit", "none"] as const) {
      const env = createEnvironment({
        mode,
        host,
        env: { HOME: "/other", EXTRA: "1", PATH: undefined },
        platform: "linux",
      });
      assert.equal(env.HOME, "/other");
      assert.equal(env.EXTRA, "1");
      assert.equal("PATH" in env, false);
    }
  });

  it("ignores case on Windows, so that one name is there once [PP-031]", () => {
    const windows = { Path: "C:\\bin", SystemRoot: "C:\\Windows", "ProgramFiles(x86)": "C:\\P", token: "secret" };
    assert.deepEqual(createEnvironment({ mode: "safe", host: windows, platform: "win32" }), {
      Path: "C:\\bin",
      SystemRoot: "C:\\Windows",
      "ProgramFiles(x86)": "C:\\P",
    });
    const env = { PATH: "D:\\bin", systemroot: undefined };
    assert.deepEqual(createEnvironment({ mode: "safe", host: windows, env, platform: "win32" }), {
      PATH: "D:\\bin",
      "ProgramFiles(x86)": "C:\\P",
    });
  });

  it("minds case elsewhere", () => {
    const env = createEnvironment({ mode: "safe", host: { Path: "a", PATH: "b" }, platform: "darwin" });
    assert.deepEqual(env, { PATH: "b" });
  });

  it("refuses a mode it does not know", () => {
    assert.throws(() => createEnvironment({ mode: "default" as EnvironmentMode }), UsageError);
  });
});

describe("safeVariables", () => {
  it("names what a platform needs to launch a program [PP-031]", () => {
    for (const name of ["PATH", "HOME", "TMPDIR", "HTTP_PROXY", "no_proxy", "SSL_CERT_FILE"]) {
      assert.ok(safeVariables("linux").includes(name), name);
    }
    for (const name of ["PATH", "PATHEXT", "SYSTEMROOT", "APPDATA", "TEMP", "USERPROFILE", "HTTPS_PROXY"]) {
      assert.ok(safeVariables("win32").includes(name), name);
    }
  });
});
