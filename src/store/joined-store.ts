/** A store of three parts, each of which does one of the primitives. What the parts share, and their end, is the store's. */
import type {
  AppendOptions,
  Bus,
  BusListener,
  DeleteOptions,
  KeyValue,
  Log,
  LogEntry,
  LogSlice,
  SetOptions,
  Store,
  StoredValue,
} from "./contracts.ts";

/** The parts; one object may be several of them. */
export interface StoreParts {
  readonly values: KeyValue;
  readonly log: Log;
  readonly bus: Bus;
}

/** See the head of this file. */
export abstract class JoinedStore implements Store {
  /** Asked for at each operation. */
  protected abstract readonly parts: StoreParts;

  get(key: string): Promise<StoredValue | undefined> {
    return this.parts.values.get(key);
  }

  set(key: string, value: string, options?: SetOptions): Promise<string | undefined> {
    return this.parts.values.set(key, value, options);
  }

  delete(key: string, options?: DeleteOptions): Promise<boolean> {
    return this.parts.values.delete(key, options);
  }

  keys(prefix: string): AsyncIterable<string> {
    return this.parts.values.keys(prefix);
  }

  append(log: string, value: string, options?: AppendOptions): Promise<LogEntry> {
    return this.parts.log.append(log, value, options);
  }

  read(log: string, after?: number): Promise<LogSlice | undefined> {
    return this.parts.log.read(log, after);
  }

  drop(log: string): Promise<void> {
    return this.parts.log.drop(log);
  }

  publish(topic: string, message: string): Promise<void> {
    return this.parts.bus.publish(topic, message);
  }

  subscribe(topic: string, listener: BusListener): Promise<() => void> {
    return this.parts.bus.subscribe(topic, listener);
  }

  abstract close(): Promise<void>;
}
