/**
 * Icons as data: checking their shape, choosing one for a place on screen, and which image types are accepted.
 *
 * Nothing is fetched here; that is `client/icons/icons.ts`. Specification: Basic > General fields > `icons`.
 */

import type { Icon } from "./types/metadata.ts";

/** An icon, or why a value is none. */
export type IconResult = { readonly ok: true; readonly icon: Icon } | { readonly ok: false; readonly problem: string };

/** What an icon is wanted for. */
export interface IconWish {
  /** The longer side of the place it will fill, in pixels. */
  readonly sizePx?: number;
  /** The background it will stand on. */
  readonly theme?: "light" | "dark";
  /** The types that can be shown; {@link iconMimeTypes} without options unless given. */
  readonly mimeTypes?: ReadonlySet<string>;
}

/** Which image types beyond the required ones are accepted. */
export interface IconMimeTypeOptions {
  /** SVG, which may hold scripts; off unless given. */
  readonly allowSvg?: boolean;
  /** WebP; on unless given. */
  readonly allowWebp?: boolean;
  /** GIF; on unless given. */
  readonly allowGif?: boolean;
}

/**
 * The image types to accept: PNG and JPEG always, the others as told.
 *
 * Specification: Basic > General fields > `icons` > Required MIME type support (ICON-004).
 *
 * @param options - which of the optional types to accept
 *
 * @example
 * ```ts
 * import { iconMimeTypes } from "parley-mcp";
 *
 * iconMimeTypes({ allowSvg: true }).has("image/svg+xml"); // true
 * ```
 */
export function iconMimeTypes(options: IconMimeTypeOptions = {}): ReadonlySet<string> {
  const types = ["image/png", "image/jpeg", "image/jpg"];
  if (options.allowWebp !== false) {
    types.push("image/webp");
  }
  if (options.allowGif !== false) {
    types.push("image/gif");
  }
  if (options.allowSvg === true) {
    types.push("image/svg+xml");
  }
  return new Set(types);
}

/**
 * Checks the shape of an icon. Whether its source may be used is decided when it is fetched.
 *
 * Specification: Basic > General fields > `icons` (ICON-001, ICON-003).
 *
 * @param value - anything that claims to be an icon
 * @returns the very same object when it is one
 *
 * @example
 * ```ts
 * import { parseIcon } from "parley-mcp";
 *
 * const result = parseIcon({ src: "https://example.com/icon.png" });
 * if (!result.ok) throw new Error(result.problem);
 * ```
 */
export function parseIcon(value: unknown): IconResult {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return refuse(`An icon is an object with a "src"; got ${show(value)}.`);
  }
  const { src, mimeType, sizes, theme } = value as Readonly<Record<string, unknown>>;
  if (typeof src !== "string" || !/^[A-Za-z][A-Za-z0-9+.-]*:/.test(src)) {
    return refuse(`"src" of an icon is a URI; got ${show(src)}.`);
  }
  if (mimeType !== undefined && typeof mimeType !== "string") {
    return refuse(`"mimeType" of an icon is a string; got ${show(mimeType)}.`);
  }
  if (theme !== undefined && theme !== "light" && theme !== "dark") {
    return refuse(`"theme" of an icon is "light" or "dark"; got ${show(theme)}.`);
  }
  const wrong = sizes === undefined ? undefined : wrongSize(sizes);
  if (wrong !== undefined) {
    return refuse(`"sizes" of an icon is a list of sizes such as "48x48", or "any"; got ${wrong}.`);
  }
  return { ok: true, icon: value as Icon };
}

/**
 * Chooses the icon that fits best: drawn for the theme, and the smallest that need not be blown up.
 *
 * An icon without `sizes` fits every size and one without `theme` every theme, though one that names what is wanted
 * goes first (ICON-003). Without any icon large enough, the largest smaller one is taken.
 *
 * @param icons - in the server's order, which decides between equals
 * @param wish - what the icon is for
 * @returns `undefined` when no icon fits the theme and the types
 *
 * @example
 * ```ts
 * import { type Icon, pickIcon } from "parley-mcp";
 *
 * function forToolbar(icons: readonly Icon[]): Icon | undefined {
 *   return pickIcon(icons, { sizePx: 32, theme: "dark" });
 * }
 * ```
 */
export function pickIcon(icons: readonly Icon[], wish: IconWish = {}): Icon | undefined {
  const mimeTypes = wish.mimeTypes ?? iconMimeTypes();
  const fitting = icons.filter(
    ({ theme, mimeType }) =>
      (theme === undefined || wish.theme === undefined || theme === wish.theme) &&
      (mimeType === undefined || mimeTypes.has(mimeType.toLowerCase())),
  );
  let best: Icon | undefined;
  let bestRank = Number.POSITIVE_INFINITY;
  for (const icon of fitting) {
    const rank = rankOf(icon, wish);
    if (best === undefined || rank < bestRank) {
      best = icon;
      bestRank = rank;
    }
  }
  return best;
}

/** Lower is better: first by size, and between equal sizes by whether the theme is named. */
function rankOf(icon: Icon, wish: IconWish): number {
  const themeRank = wish.theme !== undefined && icon.theme === undefined ? 0.5 : 0;
  if (wish.sizePx === undefined) {
    return themeRank;
  }
  const wanted = wish.sizePx;
  const ranks = (icon.sizes ?? ["any"]).map((size) => {
    const side = sideOf(size);
    if (side === undefined) {
      return anySizeRank;
    }
    return side >= wanted ? side - wanted : tooSmallRank + wanted - side;
  });
  return Math.min(tooSmallRank * 2, ...ranks) + themeRank;
}

/** Behind a picture drawn for about this size, before one that has to be scaled down a lot. */
const anySizeRank = 64;

const tooSmallRank = 1_000_000;

function sideOf(size: string): number | undefined {
  const [, width, height] = /^([1-9][0-9]{0,5})x([1-9][0-9]{0,5})$/.exec(size) ?? [];
  return width === undefined ? undefined : Math.max(Number(width), Number(height));
}

function wrongSize(sizes: unknown): string | undefined {
  if (!Array.isArray(sizes)) {
    return show(sizes);
  }
  const wrong = sizes.findIndex((size) => typeof size !== "string" || (size !== "any" && sideOf(size) === undefined));
  return wrong === -1 ? undefined : show(sizes[wrong]);
}

function show(value: unknown): string {
  if (typeof value === "object" && value !== null) {
    return Array.isArray(value) ? "a list" : "an object";
  }
  return typeof value === "string" ? JSON.stringify(value.slice(0, 80)) : String(value);
}

function refuse(problem: string): IconResult {
  return { ok: false, problem };
}
