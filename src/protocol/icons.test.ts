import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { iconMimeTypes, parseIcon, pickIcon } from "./icons.ts";
import type { Icon } from "./types/metadata.ts";

function problem(value: unknown): string {
  const result = parseIcon(value);
  assert.equal(result.ok, false, JSON.stringify(value));
  return result.ok ? "" : result.problem;
}

describe("parseIcon", () => {
  it("accepts the source alone, and all four members with the exact names [ICON-001]", () => {
    for (const icon of [
      { src: "https://example.com/a.png" },
      { src: "data:image/png;base64,AAAA", mimeType: "image/png", sizes: ["48x48", "any"], theme: "dark" },
    ]) {
      assert.deepEqual(parseIcon(JSON.parse(JSON.stringify(icon))), { ok: true, icon });
    }
  });

  it("refuses a missing source, an unknown theme and wrong types, and says what came [ICON-001]", () => {
    assert.match(problem({}), /"src" of an icon is a URI; got undefined/);
    assert.match(problem({ src: 1 }), /got 1/);
    assert.match(problem({ src: "icon.png" }), /got "icon\.png"/);
    assert.match(problem({ src: "x:y", theme: "blue" }), /"light" or "dark"; got "blue"/);
    assert.match(problem({ src: "x:y", mimeType: 1 }), /"mimeType".*got 1/);
    assert.match(problem({ src: "x:y", sizes: "48x48" }), /"sizes".*got "48x48"/);
    assert.match(problem(null), /got null/);
    assert.match(problem([]), /got a list/);
  });

  it("wants sizes as WIDTHxHEIGHT or any [ICON-003]", () => {
    assert.equal(parseIcon({ src: "x:y", sizes: ["1x1", "512x256", "any"] }).ok, true);
    for (const size of ["48", "48X48", "0x1", "big", "48x48 ", 48]) {
      assert.match(problem({ src: "x:y", sizes: ["any", size] }), /"sizes".*got/);
    }
  });
});

describe("pickIcon", () => {
  const icon = (name: string, rest: Partial<Icon> = {}): Icon => ({ src: `https://example.com/${name}`, ...rest });

  it("takes icons without sizes for every size and without theme for every theme [ICON-003]", () => {
    const plain = icon("plain");
    assert.equal(pickIcon([plain], { sizePx: 48, theme: "dark" }), plain);
    assert.equal(pickIcon([icon("light", { theme: "light" }), plain], { theme: "dark" }), plain);
    assert.equal(pickIcon([icon("light", { theme: "light" })], { theme: "dark" }), undefined);
  });

  it("prefers the smallest size that is large enough, then the largest smaller one [ICON-003]", () => {
    const sizes = ["16x16", "48x48", "512x512"].map((size) => icon(size, { sizes: [size] }));
    assert.equal(pickIcon(sizes, { sizePx: 32 }), sizes[1]);
    assert.equal(pickIcon(sizes, { sizePx: 48 }), sizes[1]);
    assert.equal(pickIcon(sizes, { sizePx: 1024 }), sizes[2]);
    const any = icon("any", { sizes: ["any"] });
    assert.equal(pickIcon([...sizes, any], { sizePx: 64 }), any);
  });

  it("prefers the icon drawn for the theme, and keeps the server's order between equals", () => {
    const dark = icon("dark", { theme: "dark" });
    assert.equal(pickIcon([icon("plain"), dark], { theme: "dark" }), dark);
    assert.equal(pickIcon([dark, icon("other")]), dark);
    assert.equal(pickIcon([]), undefined);
  });

  it("leaves out declared types that cannot be shown [ICON-004]", () => {
    const svg = icon("svg", { mimeType: "image/svg+xml" });
    const png = icon("png", { mimeType: "IMAGE/PNG" });
    assert.equal(pickIcon([svg, png]), png);
    assert.equal(pickIcon([svg, png], { mimeTypes: iconMimeTypes({ allowSvg: true }) }), svg);
  });
});

describe("iconMimeTypes", () => {
  it("always holds PNG and JPEG under both names [ICON-004]", () => {
    const types = iconMimeTypes({ allowWebp: false, allowGif: false });
    assert.deepEqual([...types], ["image/png", "image/jpeg", "image/jpg"]);
  });

  it("holds WebP unless told otherwise, and SVG only when told [ICON-004] [ICON-012]", () => {
    assert.equal(iconMimeTypes().has("image/webp"), true);
    assert.equal(iconMimeTypes().has("image/svg+xml"), false);
    assert.equal(iconMimeTypes({ allowSvg: true }).has("image/svg+xml"), true);
  });
});
