/**
 * Which hosts authorization may fetch from: public ones, and private ones only by leave of the caller or next to a server
 * that is private itself.
 *
 * Decides by what it is shown and resolves nothing; schemes are strict-url.ts.
 * Specification: Basic > Security Best Practices > Server-Side Request Forgery.
 */
import { type AddressScope, hostScope } from "../base/address.ts";

/** What {@link createAddressPolicy} is made from. */
export interface AddressPolicyOptions {
  /** Lets all private addresses pass, or those it says yes to. Default false. */
  readonly allowPrivateAddresses?: boolean | ((url: URL) => boolean) | undefined;
  /** The MCP endpoint that the user chose. If its host is private by its looks, so may be what it points to. */
  readonly trusted?: URL | undefined;
}

/** See the head of this file. */
export interface AddressPolicy {
  /**
   * Whether a request may go out.
   *
   * @param url - where it goes
   * @param address - what the host resolved to; default: the host as it is written
   * @returns what is wrong, or `undefined`
   */
  check(url: URL, address?: string): string | undefined;
}

/** Makes a policy [SEC-014] [SEC-016]. */
export function createAddressPolicy(options: AddressPolicyOptions = {}): AddressPolicy {
  const { allowPrivateAddresses = false, trusted } = options;
  // By its looks alone: a name of the Internet that resolves to a private address would buy its way in.
  const neighbours = trusted === undefined ? none : neighboursOf(hostScope(trusted.hostname));
  const check = (url: URL, address: string = url.hostname): string | undefined => {
    const scope = hostScope(address);
    if (scope === "global" || neighbours.has(scope)) {
      return undefined;
    }
    const isAllowed = typeof allowPrivateAddresses === "boolean" ? allowPrivateAddresses : allowPrivateAddresses(url);
    return isAllowed ? undefined : describe(url, address, scope);
  };
  return { check };
}

const none: ReadonlySet<AddressScope> = /* @__PURE__ */ new Set<AddressScope>();
const neighbours: ReadonlyMap<AddressScope, ReadonlySet<AddressScope>> = /* @__PURE__ */ new Map<
  AddressScope,
  ReadonlySet<AddressScope>
>([
  ["loopback", new Set<AddressScope>(["loopback", "private"])],
  ["private", new Set<AddressScope>(["private"])],
  ["link-local", new Set<AddressScope>(["private", "link-local"])],
]);

/**
 * Where a trusted server may point to: its own kind of network, and never to this machine unless it is on it. Link-local
 * is what clouds tell secrets on, so it is nobody's neighbour by default.
 */
function neighboursOf(scope: AddressScope): ReadonlySet<AddressScope> {
  return neighbours.get(scope) ?? none;
}

function describe(url: URL, address: string, scope: AddressScope): string {
  const came = address === url.hostname ? address : `${url.hostname}, which is ${address}`;
  return `expected a public address, got ${came} (${scope}); "allowPrivateAddresses" lets it pass`;
}
