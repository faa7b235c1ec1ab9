/**
 * Whether an SVG image is mere drawing: a list of what is allowed, and everything else refused.
 *
 * Nothing is repaired, since a repaired text may still be read otherwise by a browser. Scripts, handlers, style
 * sheets, animation, foreign content, references that leave the document and entities are all refused.
 * Specification: Basic > General fields > `icons` > Security considerations (ICON-012).
 */

const elements: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "svg",
  "g",
  "defs",
  "title",
  "desc",
  "path",
  "rect",
  "circle",
  "ellipse",
  "line",
  "polyline",
  "polygon",
  "text",
  "tspan",
  "linearGradient",
  "radialGradient",
  "stop",
  "clipPath",
]);

const maxElements = 5000;

/**
 * Why an SVG text is not acceptable.
 *
 * @param text - the whole document
 * @returns what was found, or `undefined` when it is mere drawing
 */
export function checkSvg(text: string): string | undefined {
  const open: string[] = [];
  let count = 0;
  let at = text.indexOf("<");
  while (at !== -1) {
    const comment = text.startsWith("<!--", at) || (count === 0 && /^<\?xml\s/.test(text.slice(at, at + 6)));
    if (comment) {
      const end = text.indexOf(text[at + 1] === "!" ? "-->" : "?>", at);
      if (end === -1) {
        return "The SVG image ends inside a comment.";
      }
      at = text.indexOf("<", end);
      continue;
    }
    const tag = parseTag(text, at);
    if (typeof tag === "string") {
      return tag;
    }
    const problem = tag.isEnd ? checkEndTag(tag.name, open.pop()) : checkStartTag(tag, open);
    if (problem !== undefined) {
      return problem;
    }
    if (!tag.isEnd) {
      count += 1;
      if (!tag.isEmpty) {
        open.push(tag.name);
      }
    }
    if (count > maxElements) {
      return `An SVG icon may have ${maxElements} elements; this one has more.`;
    }
    at = text.indexOf("<", tag.end);
  }
  return count === 0 || open.length > 0 ? "The SVG image has an element that is never closed." : undefined;
}

interface Tag {
  readonly name: string;
  readonly attributes: readonly (readonly [name: string, value: string])[];
  readonly isEnd: boolean;
  readonly isEmpty: boolean;
  /** Where the text goes on. */
  readonly end: number;
}

function parseTag(text: string, from: number): Tag | string {
  const start = /<(\/?)([A-Za-z][\w:.-]*)/y;
  const attribute = /\s+([A-Za-z_][\w:.-]*)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/y;
  const close = /\s*(\/?)>/y;
  start.lastIndex = from;
  const [head, slash, name] = start.exec(text) ?? [];
  if (head === undefined || name === undefined) {
    return "An SVG icon may hold elements and comments only: no document type, entity, CDATA or instruction.";
  }
  const attributes: [string, string][] = [];
  let end = from + head.length;
  for (;;) {
    attribute.lastIndex = end;
    const [whole, key, double, single] = attribute.exec(text) ?? [];
    if (whole === undefined || key === undefined) {
      break;
    }
    attributes.push([key, double ?? single ?? ""]);
    end += whole.length;
  }
  close.lastIndex = end;
  const [tail, empty] = close.exec(text) ?? [];
  return tail === undefined
    ? `The SVG element "${name}" is not well formed.`
    : { name, attributes, isEnd: slash === "/", isEmpty: empty === "/", end: end + tail.length };
}

function checkEndTag(name: string, expected: string | undefined): string | undefined {
  return name === expected ? undefined : `The SVG element "${name}" is closed where it is not open.`;
}

function checkStartTag({ name, attributes }: Tag, open: readonly string[]): string | undefined {
  if (!elements.has(name)) {
    return `An SVG icon may not hold the element "${name}".`;
  }
  if ((open.length === 0) !== (name === "svg")) {
    return 'An SVG icon has one "svg" element, and everything else inside it.';
  }
  const wrong = attributes.find(([key, value]) => !isHarmless(key.toLowerCase(), value));
  if (wrong !== undefined) {
    return `An SVG icon may not hold "${wrong[0]}" with this value, on "${name}".`;
  }
  // A clip inside a clip costs its square, and so on; a few lines could keep a renderer busy for hours.
  return open.includes("clipPath") && attributes.some(([key, value]) => /clip-path/i.test(`${key} ${value}`))
    ? "An SVG icon may not clip inside a clip."
    : undefined;
}

function isHarmless(key: string, value: string): boolean {
  if (key.startsWith("on") || key === "xml:base") {
    return false;
  }
  if (/&(?!(?:amp|lt|gt|quot|apos);)/.test(value)) {
    return false;
  }
  if (key === "xmlns" || key.startsWith("xmlns:")) {
    return value === "http://www.w3.org/2000/svg" || value === "http://www.w3.org/1999/xlink";
  }
  if (key === "href" || key.endsWith(":href")) {
    return value.startsWith("#");
  }
  return !/\\|@import|expression\s*\(|(?:java|vb)script\s*:|data\s*:|url\s*\((?!\s*["']?#)|image(?:-set)?\s*\(|\bsrc\s*\(/i.test(
    value,
  );
}
