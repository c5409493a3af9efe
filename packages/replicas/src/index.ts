/** What only replicas need: several processes that serve the same clients share it in Redis or Valkey. */
export { MemoryStore } from "./memory-store.ts";
export { openRedisStore, type RedisOptions } from "./redis-store.ts";
export { Replica } from "./replica.ts";
export type {
  Fields,
  LogLimits,
  RecordConditions,
  RecordOutcome,
  SetConditions,
  Store,
  StoredEntry,
} from "./store.ts";
