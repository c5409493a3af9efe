import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const require = createRequire(import.meta.url);
const homeOf = (name: string): string => dirname(require.resolve(`${name}/package.json`));

/** The Inspector needs a newer Node than the suite. */
export const INSPECTOR: readonly [string, string] = [
  join(homeOf("node"), "bin/node"),
  join(homeOf("@modelcontextprotocol/inspector"), "clients/launcher/build/index.js"),
];

export const programOf = (name: string): string => join(homeOf(name), "dist/main.js");
