import type { LookupAddress } from "node:dns";
import type { LookupFunction } from "node:net";

import { Fault } from "../errors/fault.ts";

/** All addresses of a name. */
export type Lookup = (hostname: string) => Promise<readonly LookupAddress[]>;

/** Uses the system's resolver, including its hosts file. */
export const lookupBySystem: Lookup = async (hostname) => {
  const { lookup } = await import("node:dns/promises");
  return lookup(hostname, { all: true });
};

/** Asks only these DNS servers: no hosts file, no search domains. */
export function createResolver(servers: readonly string[]): Lookup {
  return async (hostname) => {
    const { Resolver } = await import("node:dns/promises");
    const resolver = new Resolver({ timeout: 2000, tries: 2 });
    resolver.setServers(servers);
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    if (v4.status === "rejected" && v6.status === "rejected") throw v4.reason;
    return [
      ...(v4.status === "fulfilled" ? v4.value.map((address) => ({ address, family: 4 })) : []),
      ...(v6.status === "fulfilled" ? v6.value.map((address) => ({ address, family: 6 })) : []),
    ];
  };
}

/**
 * The lookup function of a socket: it connects to exactly the addresses that were checked, so a second DNS answer cannot
 * differ. One forbidden address refuses them all: a mix of public and private addresses suggests DNS rebinding.
 */
export function createCheckedLookup(lookup: Lookup, check: (address: string) => void): LookupFunction {
  return (hostname, { all }, callback) => {
    void (async () => {
      try {
        const answers = await lookup(hostname);
        const [first] = answers;
        if (first === undefined) throw new Fault("not_found", `The name ${hostname} has no address`);
        for (const { address } of answers) check(address);
        if (all === true) callback(null, [...answers]);
        else callback(null, first.address, first.family);
      } catch (thrown) {
        callback(thrown as NodeJS.ErrnoException, [], 0);
      }
    })();
  };
}
