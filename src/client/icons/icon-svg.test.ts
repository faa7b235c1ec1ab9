import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { checkSvg } from "./icon-svg.ts";

const svg = (inside: string, attributes = ""): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"${attributes}>${inside}</svg>`;

describe("checkSvg", () => {
  it("accepts mere drawing [ICON-012]", () => {
    for (const text of [
      svg('<path d="M0 0L8 8" stroke="#000" style="fill:none"/>'),
      `<?xml version="1.0"?><!-- made by hand --> ${svg("<title>A &amp; B</title>")}`,
      svg(
        '<defs><linearGradient id="a"><stop offset="0"/></linearGradient></defs><g fill="url(#a)"><rect width="8"/></g>',
      ),
      svg('<clipPath id="c"><circle r="4"/></clipPath><g clip-path="url(#c)"><text>x</text></g>'),
    ]) {
      assert.equal(checkSvg(text), undefined, text);
    }
  });

  it("refuses scripts, handlers and foreign content [ICON-012]", () => {
    for (const text of [
      svg("<script>alert(1)</script>"),
      svg("<SCRIPT/>"),
      svg("<foreignObject><p>x</p></foreignObject>"),
      svg("<g onclick='x()'/>"),
      svg("", " onload='x()'"),
      svg("<g ONCLICK='x()'/>"),
      svg("<a href='javascript:x()'/>"),
      svg("<style>@import 'https://x'</style>"),
      svg("<animate attributeName='x'/>"),
      svg("<use href='#a'/>"),
      svg("<image href='https://x/y.png'/>"),
    ]) {
      assert.match(checkSvg(text) ?? "", /may not hold/, text);
    }
  });

  it("refuses references that leave the document, however they are spelled [ICON-012]", () => {
    for (const value of [
      "url(https://x/y)",
      "URL ( 'https://x/y' )",
      "u\\72l(https://x)",
      "&#117;rl(https://x)",
      "image-set('https://x' 1x)",
      "data:image/png;base64,AA",
    ]) {
      assert.match(checkSvg(svg(`<g fill="${value}"/>`)) ?? "", /may not hold "fill"/, value);
    }
    assert.match(checkSvg(svg('<linearGradient xlink:href="https://x/y#a"/>')) ?? "", /"xlink:href"/);
    assert.match(checkSvg(svg('<g xml:base="https://x/"/>')) ?? "", /"xml:base"/);
    assert.match(checkSvg('<svg xmlns="http://www.w3.org/1999/xhtml"/>') ?? "", /"xmlns"/);
  });

  it("refuses document types, entities, CDATA and what is not well formed [ICON-012]", () => {
    for (const text of [
      `<!DOCTYPE svg [<!ENTITY a "b">]>${svg("")}`,
      svg("<![CDATA[x]]>"),
      svg("<?php x ?>"),
      "<svg",
      "<svg><g></svg>",
      "<svg><g>",
      "<svg/><svg/>x<g/>",
      "<!-- x",
      "<g/>",
      svg("<g a=b/>"),
      svg('<g a="<"/>'),
      "",
    ]) {
      assert.notEqual(checkSvg(text), undefined, text);
    }
  });

  it("bounds what a renderer would have to do [ICON-010]", () => {
    assert.match(checkSvg(svg("<g/>".repeat(5000))) ?? "", /5000 elements/);
    assert.match(checkSvg(svg('<clipPath><g clip-path="url(#c)"/></clipPath>')) ?? "", /clip inside a clip/);
  });

  it("reads a megabyte of hostile text in linear time [ICON-010]", () => {
    for (const unit of [" ", "a", '<g a="', "<", " a=''", "<!--"]) {
      const start = performance.now();
      checkSvg(`<svg ${unit.repeat(1_000_000 / unit.length)}`);
      assert.ok(performance.now() - start < 1000, unit);
    }
  });
});
