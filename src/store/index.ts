/** Entry "./store": what a store promises, and the one in memory. */
export type { DeleteOptions, KeyValue, SetOptions, StoredValue } from "./contracts.ts";
export { StoreError, type StoreFailure } from "./error.ts";
export { createMemoryStore, type MemoryStoreOptions } from "./memory.ts";
