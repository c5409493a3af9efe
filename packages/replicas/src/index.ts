/** The store of `@suite/core` in Redis or Valkey, for servers with more than one replica. */
export { openRedisStore, type RedisOptions } from "./redis-store.ts";
