/** Entry "./store": what a store promises, and the one in memory. */
export type {
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
export { StoreError, type StoreFailure } from "./error.ts";
export { createMemoryStore, type MemoryStore, type MemoryStoreOptions, type MemoryUsage } from "./memory.ts";
