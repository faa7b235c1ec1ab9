/**
 * Which port a program listens on for the end of a login: always the same ones, so that a registration with the address
 * keeps covering it [PP-092]. Derived from a name; nothing is kept, and nothing listens here.
 */
import { hashText } from "./text-hash.ts";

/** The range that is assigned to nobody. RFC 6335 section 6. */
const [firstPort, lastPort] = [49_152, 65_535];

/** Ports of that range that well-known programs use all the same. */
const usedPorts: readonly number[] = [50_000, 50_051, 51_820, 54_321, 55_555, 61_613, 61_616, 62_078, 64_738];

/** How many ports are tried. */
const portCount = 5;

/**
 * The ports for a name, in the order to try them.
 *
 * @param name - of the program
 */
export function derivePorts(name: string): readonly number[] {
  const ports = new Set<number>();
  for (let attempt = 0; ports.size < portCount; attempt += 1) {
    const port = firstPort + (hashText(`${attempt} ${name}`) % (lastPort - firstPort + 1));
    if (!usedPorts.includes(port)) {
      ports.add(port);
    }
  }
  return [...ports];
}
