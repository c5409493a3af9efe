import { mkdirSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const require = createRequire(import.meta.url);

/** Where a package is installed that the tests depend on. */
export const homeOf = (name: string): string => dirname(require.resolve(`${name}/package.json`));

/** Some peers need a newer Node than the suite. */
export const NODE_22: string = join(homeOf("node"), "bin/node");

/** Has the SQLite server in this folder use what npm chooses for Node 22. */
export function linkSqlite13(folder: string): void {
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(homeOf("better-sqlite3-13"), join(folder, "node_modules/better-sqlite3"));
}
