/**
 * The connections of a server that stops: which carry nothing, and that none carries more than one more answer.
 *
 * Node itself would end idle connections at once, and a client that sends on one of them in that moment could not tell
 * whether its request was taken.
 */
import type { Server, ServerResponse } from "node:http";
import { Server as NetServer, type Socket } from "node:net";

/** See the head of this file. */
export class Connections {
  readonly #server: Server;
  readonly #idle = new Set<Socket>();
  readonly #open = new Set<ServerResponse>();
  #isRefusing = false;

  /** @param server - listens already, and has no connection yet */
  constructor(server: Server) {
    this.#server = server;
    server.on("connection", (socket) => {
      this.#idle.add(socket);
      socket.once("close", () => this.#idle.delete(socket));
    });
    server.prependListener("request", ({ socket }, response) => this.#begin(socket, response));
  }

  /** How many carry no request. */
  get idle(): number {
    return this.#idle.size;
  }

  /** Takes no new ones; those that there are end with the answer they carry, or with the next one. */
  refuse(): void {
    this.#isRefusing = true;
    for (const response of this.#open) {
      response.shouldKeepAlive = false;
    }
    NetServer.prototype.close.call(this.#server);
  }

  #begin(socket: Socket, response: ServerResponse): void {
    this.#idle.delete(socket);
    this.#open.add(response);
    if (this.#isRefusing) {
      response.shouldKeepAlive = false;
    }
    response.once("close", () => {
      this.#open.delete(response);
      if (!socket.destroyed && response.shouldKeepAlive) {
        this.#idle.add(socket);
      }
    });
  }
}
