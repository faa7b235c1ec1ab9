/** How URIs of resources lie to each other, as texts: nothing is resolved, decoded or fetched. */

/** Whether a URI is another one or lies below it. */
export function isWithinUri(uri: string, ancestor: string): boolean {
  return uri === ancestor || uri.startsWith(ancestor.endsWith("/") ? ancestor : `${ancestor}/`);
}

/**
 * Whether a change of one resource may show in the other: the same, one above the other, or the same but for query
 * and fragment. A folder shows what is in it, and what is in it may change with the folder.
 */
export function areRelatedUris(a: string, b: string): boolean {
  const [first, second] = [toPath(a), toPath(b)];
  return isWithinUri(first, second) || isWithinUri(second, first);
}

function toPath(uri: string): string {
  const cut = uri.search(/[?#]/);
  let end = cut === -1 ? uri.length : cut;
  while (uri[end - 1] === "/") {
    end -= 1;
  }
  return uri.slice(0, end);
}
