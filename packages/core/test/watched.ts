import { createServer, defineResource, type Middleware, type Server } from "../src/index.ts";

/** A resource whose watcher writes down when it starts and stops. */
export const watched = (uri: string, log: string[]): ReturnType<typeof defineResource> =>
  defineResource({
    uri,
    name: uri,
    read: () => "x",
    subscribe: () => {
      log.push(`start ${uri}`);
      return () => log.push(`stop ${uri}`);
    },
  });

/** A resource that cannot be subscribed to. */
export const still: ReturnType<typeof defineResource> = defineResource({
  uri: "mem://still",
  name: "still",
  read: () => "x",
});

/** A server with one watched resource, whose middleware holds requests of this method until they are admitted. */
export function createHesitant(method: string): { server: Server; log: string[]; admit: () => void } {
  const log: string[] = [];
  let admit = (): void => undefined;
  const admitted = new Promise<void>((resolve) => (admit = resolve));
  const hesitate: Middleware = async (call, next) => {
    if (call.method === method) await admitted;
    return next(call);
  };
  const resources = [watched("mem://a", log)];
  const server = createServer({ name: "s", version: "1", resources, middleware: [hesitate] });
  return { server, log, admit };
}
