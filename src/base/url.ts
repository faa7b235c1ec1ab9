/** Questions about URLs: whether a host is this machine. Nothing here fetches or resolves names. */

/** Whether a host name, without port, means this machine: `localhost`, `*.localhost`, 127.0.0.0/8 or `[::1]`. */
export function isLoopbackHost(hostname: string): boolean {
  const host = hostname.toLowerCase().replace(/\.$/, "");
  return (
    host === "localhost" ||
    host.endsWith(".localhost") ||
    host === "[::1]" ||
    host === "::1" ||
    /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host)
  );
}

/** A URL, or `undefined` where the text is none. */
export function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    // The caller decides what a text that is no URL means.
    return undefined;
  }
}
