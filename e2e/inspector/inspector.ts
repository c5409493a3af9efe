import { join } from "node:path";

import { homeOf, NODE_22 } from "../support/installed.ts";

/** The Inspector needs a newer Node than the suite. */
export const INSPECTOR: readonly [string, string] = [
  NODE_22,
  join(homeOf("@modelcontextprotocol/inspector"), "clients/launcher/build/index.js"),
];

export const programOf = (name: string): string => join(homeOf(name), "dist/main.js");
