import { defineResource } from "../src/index.ts";

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
