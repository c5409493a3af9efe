// The parts of undici that are used, each imported from its own file: loading all of undici takes twice as long.
declare module "undici/lib/dispatcher/agent.js" {
  import type { Agent } from "undici";
  const agent: typeof Agent;
  export default agent;
}
declare module "undici/lib/dispatcher/client.js" {
  import type { Client } from "undici";
  const client: typeof Client;
  export default client;
}
declare module "undici/lib/dispatcher/pool.js" {
  import type { Pool } from "undici";
  const pool: typeof Pool;
  export default pool;
}
declare module "undici/lib/dispatcher/proxy-agent.js" {
  import type { ProxyAgent } from "undici";
  const proxyAgent: typeof ProxyAgent;
  export default proxyAgent;
}
declare module "undici/lib/core/connect.js" {
  import type { buildConnector } from "undici";
  const build: typeof buildConnector;
  export default build;
}
declare module "undici/lib/dispatcher/dispatcher.js" {
  import type { Dispatcher } from "undici";
  const dispatcher: typeof Dispatcher;
  export default dispatcher;
}
declare module "undici/lib/api/index.js" {
  import type { Dispatcher } from "undici";
  const api: Pick<Dispatcher, "request" | "connect">;
  export default api;
}
