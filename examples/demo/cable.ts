// A cable between client and server that can be cut: a TCP relay. Cutting it destroys the sockets in the middle of
// whatever they carry, as a lost network does; new connections go through again at once.

import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** See the head of this file. */
export interface Cable {
  /** The server's URL at this end of the cable. */
  readonly url: string;
  /** Destroys every connection. @returns how many there were */
  cut(): number;
  close(): void;
}

/** Lays a cable to a server. */
export async function layCable(serverUrl: string): Promise<Cable> {
  const target = new URL(serverUrl);
  const sockets = new Set<Socket>();
  const relay = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.pipe(other);
      one.on("error", () => other.destroy());
      one.on("close", () => {
        sockets.delete(one);
        other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => relay.listen(0, "127.0.0.1", resolve));
  const url = new URL(serverUrl);
  url.port = String((relay.address() as AddressInfo).port);
  const cut = (): number => {
    const count = sockets.size / 2;
    for (const socket of sockets) {
      socket.destroy();
    }
    return count;
  };
  return {
    url: url.href,
    cut,
    close: () => {
      cut();
      relay.close();
    },
  };
}
