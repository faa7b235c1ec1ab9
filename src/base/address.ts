/**
 * What an address is good for by its looks: the whole Internet, this machine, a network of one's own, or nobody.
 *
 * Nothing is resolved. Odd spellings of an address (hexadecimal, octal, shortened, mapped) are left to the URL parser;
 * only the form it settles on is taken apart here. The ranges are those of the IANA special-purpose registries.
 */
import { isLoopbackHost, parseUrl } from "./url.ts";

/**
 * How far an address reaches: `private` is a network of one's own, `reserved` what nobody connects to or several
 * machines share.
 */
export type AddressScope = "global" | "loopback" | "private" | "link-local" | "reserved";

type Range = readonly [network: number, bits: number, scope: AddressScope];

const v4Ranges: readonly Range[] = [
  [0x00000000, 8, "reserved"], // 0.0.0.0/8, this network
  [0x0a000000, 8, "private"], // 10.0.0.0/8
  [0x64400000, 10, "private"], // 100.64.0.0/10, shared by the customers of a carrier
  [0x7f000000, 8, "loopback"], // 127.0.0.0/8
  [0xa9fe0000, 16, "link-local"], // 169.254.0.0/16, with the metadata services of clouds
  [0xac100000, 12, "private"], // 172.16.0.0/12
  [0xc0000000, 24, "reserved"], // 192.0.0.0/24, assignments of protocols
  [0xc0000200, 24, "reserved"], // 192.0.2.0/24, documentation
  [0xc0586300, 24, "reserved"], // 192.88.99.0/24, relays of 6to4
  [0xc0a80000, 16, "private"], // 192.168.0.0/16
  [0xc6120000, 15, "reserved"], // 198.18.0.0/15, benchmarks
  [0xc6336400, 24, "reserved"], // 198.51.100.0/24, documentation
  [0xcb007100, 24, "reserved"], // 203.0.113.0/24, documentation
  [0xe0000000, 3, "reserved"], // 224.0.0.0/3: multicast, future use, broadcast
];

/** By the first 32 bits. */
const v6Ranges: readonly Range[] = [
  [0x20010000, 23, "reserved"], // 2001::/23, assignments of protocols
  [0x20010db8, 32, "reserved"], // 2001:db8::/32, documentation
  [0x3fff0000, 20, "reserved"], // 3fff::/20, documentation
  [0x20000000, 3, "global"], // 2000::/3
  [0xfc000000, 7, "private"], // fc00::/7
  [0xfe800000, 10, "link-local"], // fe80::/10
  [0xfec00000, 10, "private"], // fec0::/10, once for sites
];

/**
 * Whether a host name, without port, is an IP address in any spelling that URLs know.
 *
 * @param hostname - IPv6 with brackets or without
 */
export function isIpLiteral(hostname: string): boolean {
  return addressScope(hostname) !== undefined;
}

/**
 * Whether a host is anything else than a public one: an address that is not global unicast, or a name that only means
 * something on this machine or network (`localhost`, one without a dot, `.local`, `.internal`, `.home.arpa`).
 *
 * A public name may still resolve to such an address: whoever connects has to look at what it resolves to.
 *
 * @param hostname - without port; IPv6 with brackets or without
 */
export function isPrivateAddress(hostname: string): boolean {
  return hostScope(hostname) !== "global";
}

/** How far a host reaches by its looks; a name that says nothing of the kind is `global`. */
export function hostScope(hostname: string): AddressScope {
  if (isLoopbackHost(hostname)) {
    return "loopback";
  }
  return addressScope(hostname) ?? (isLocalName(hostname) ? "private" : "global");
}

/** How far an IP address reaches; `undefined` for what is none. */
export function addressScope(hostname: string): AddressScope | undefined {
  const host = canonicalHost(hostname);
  if (host === undefined) {
    return undefined;
  }
  if (host.startsWith("[")) {
    return scopeOfV6(parseGroups(host.slice(1, -1)));
  }
  return /^\d+\.\d+\.\d+\.\d+$/.test(host) ? scopeOfV4(parseDotted(host)) : undefined;
}

/** The host as the URL parser spells it. */
function canonicalHost(hostname: string): string | undefined {
  if (/[/\\?#@]/.test(hostname)) {
    return undefined;
  }
  // A lookup gives IPv6 without brackets, and link-local ones with the interface they belong to.
  const isBareV6 = hostname.includes(":") && !hostname.startsWith("[");
  return parseUrl(`http://${isBareV6 ? `[${hostname.split("%", 1)[0]}]` : hostname}/`)?.hostname;
}

function parseDotted(host: string): number {
  return host.split(".").reduce((value, part) => value * 256 + Number(part), 0);
}

/** The eight groups of an IPv6 address, of which `::` leaves out those that are zero. */
function parseGroups(address: string): number[] {
  const [head = [], tail = []] = address
    .split("::")
    .map((half) => half.split(":").flatMap((group) => (group === "" ? [] : [Number.parseInt(group, 16)])));
  return [...head, ...new Array<number>(8 - head.length - tail.length).fill(0), ...tail];
}

function scopeOfV4(address: number): AddressScope {
  return findScope(v4Ranges, address) ?? "global";
}

function scopeOfV6(groups: readonly number[]): AddressScope {
  const embedded = embeddedV4(groups);
  if (embedded.length > 0) {
    return embedded.map(scopeOfV4).find((scope) => scope !== "global") ?? "global";
  }
  if (groups.every((group, at) => group === (at === 7 ? 1 : 0))) {
    return "loopback";
  }
  return findScope(v6Ranges, pair(groups, 0)) ?? "reserved";
}

/** The IPv4 addresses that traffic to an IPv6 address ends up at, or passes through. */
function embeddedV4(groups: readonly number[]): number[] {
  const prefix = groups
    .slice(0, 6)
    .map((group) => group.toString(16))
    .join(":");
  if (prefix === "0:0:0:0:0:ffff" || prefix === "64:ff9b:0:0:0:0") {
    return [pair(groups, 6)];
  }
  if (groups[0] === 0x2002) {
    return [pair(groups, 1)];
  }
  // Teredo: its server, and the client with every bit turned over.
  return pair(groups, 0) === 0x20010000 ? [pair(groups, 2), 0xffffffff - pair(groups, 6)] : [];
}

function pair(groups: readonly number[], at: number): number {
  return (groups[at] ?? 0) * 65_536 + (groups[at + 1] ?? 0);
}

function findScope(ranges: readonly Range[], address: number): AddressScope | undefined {
  const inRange = ([network, bits]: Range): boolean => {
    const size = 2 ** (32 - bits);
    return address >= network && address < network + size;
  };
  return ranges.find(inRange)?.[2];
}

function isLocalName(hostname: string): boolean {
  const name = hostname.toLowerCase().replace(/\.$/, "");
  return !name.includes(".") || /\.(?:local|internal|home\.arpa)$/.test(name);
}
