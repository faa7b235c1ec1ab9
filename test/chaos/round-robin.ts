// A small proxy in front of the nodes: every request goes to the next one, whatever session it belongs to, and connections
// can be cut. A node that takes no connection is passed over; one that breaks off breaks the client's connection.

import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** See the head of this file. */
export class RoundRobin {
  cuts = 0;
  requests = 0;
  readonly #server: Server;
  readonly #getPorts: () => readonly number[];
  readonly #open = new Set<ServerResponse>();
  #next = 0;

  static start(getPorts: () => readonly number[]): Promise<RoundRobin> {
    const proxy = new RoundRobin(getPorts);
    return new Promise((resolve) => proxy.#server.listen(0, "127.0.0.1", () => resolve(proxy)));
  }

  private constructor(getPorts: () => readonly number[]) {
    this.#getPorts = getPorts;
    this.#server = createServer((incoming, outgoing) => this.#serve(incoming, outgoing));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/mcp`;
  }

  /** Cuts a connection in use, where there is one. */
  cut(): void {
    const open = [...this.#open];
    const victim = open[Math.floor(Math.random() * open.length)];
    if (victim !== undefined) {
      this.cuts += 1;
      victim.destroy();
    }
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #serve(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const body: Buffer[] = [];
    this.requests += 1;
    this.#open.add(outgoing);
    outgoing.once("close", () => this.#open.delete(outgoing));
    incoming.on("data", (chunk: Buffer) => body.push(chunk));
    incoming.once("end", () => this.#forward(incoming, Buffer.concat(body), outgoing, this.#getPorts().length));
    incoming.on("error", () => outgoing.destroy());
  }

  #forward(incoming: IncomingMessage, body: Buffer, outgoing: ServerResponse, left: number): void {
    const ports = this.#getPorts();
    this.#next += 1;
    const port = ports[this.#next % ports.length];
    if (port === undefined || left === 0) {
      outgoing.writeHead(503, { "retry-after": "1" }).end();
      return;
    }
    const { method, url, headers } = incoming;
    const sent = request({ host: "127.0.0.1", port, method, path: url, headers, agent: false }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      outgoing.flushHeaders();
      answer.pipe(outgoing);
      answer.once("error", () => outgoing.destroy());
      answer.once("aborted", () => outgoing.destroy());
    });
    outgoing.once("close", () => sent.destroy());
    sent.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "ECONNREFUSED" && !outgoing.destroyed) {
        this.#forward(incoming, body, outgoing, left - 1);
      } else if (outgoing.headersSent) {
        outgoing.destroy();
      } else if (!outgoing.destroyed) {
        outgoing.writeHead(502).end();
      }
    });
    sent.end(body);
  }
}
