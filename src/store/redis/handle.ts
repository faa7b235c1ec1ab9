/**
 * What a Redis client has to have to be given to a store: the part of `@redis/client` or of `ioredis` that is used.
 *
 * Types only, so that neither package has to be installed where the other one is, or none.
 */

/** A client of `@redis/client`: what its `createClient` makes. */
export interface NodeRedisHandle {
  readonly isReady: boolean;
  readonly options?: { readonly socket?: object | undefined; readonly keyPrefix?: unknown } | undefined;
  sendCommand(command: readonly string[], options?: { readonly timeout?: number }): Promise<unknown>;
  on(event: string, listener: (...details: unknown[]) => void): unknown;
  off(event: string, listener: (...details: unknown[]) => void): unknown;
  duplicate(overrides?: object): NodeRedisHandle;
  connect(): Promise<unknown>;
  destroy(): void;
  subscribe(channels: string[], listener: (message: string, channel: string) => void): Promise<unknown>;
  unsubscribe(channels: string[], listener: (message: string, channel: string) => void): Promise<unknown>;
}

/** A client of `ioredis`: its `Redis`. */
export interface IoRedisHandle {
  readonly status: string;
  readonly isCluster?: boolean | undefined;
  readonly options?: object | undefined;
  call(command: string, ...args: string[]): Promise<unknown>;
  on(event: string, listener: (...details: unknown[]) => void): unknown;
  off(event: string, listener: (...details: unknown[]) => void): unknown;
  duplicate(overrides?: object): IoRedisHandle;
  disconnect(reconnect?: boolean): void;
  subscribe(...channels: string[]): Promise<unknown>;
  unsubscribe(...channels: string[]): Promise<unknown>;
}
