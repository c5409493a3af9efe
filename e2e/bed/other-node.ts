import { execFileSync } from "node:child_process";
import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";

import { packBuiltSqlite } from "../registry/npx.ts";
import { NETWORK } from "../support/network.ts";
import { createPlace } from "../support/place.ts";

const PATIENCE_MS = 300_000;

/** Another Node, as the npm package `node` has it. */
export const findNode = (version: string): string =>
  execFileSync(
    "npm",
    ["exec", "--yes", `--package=node@${version}`, "--", "node", "-p", "process.execPath"],
    { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"], timeout: PATIENCE_MS },
  ).trim();

/**
 * The command of a built server for another Node. One with native dependencies is installed anew, with that Node:
 * npm chooses their versions by it.
 */
export function commandFor(
  node: string,
  [, program = ""]: readonly string[],
  install: (folder: string, node: string) => void = installWithNpm,
  toFolder: () => string = createPlace,
): readonly string[] {
  const home = join(dirname(program), "..");
  if (!existsSync(join(home, "package.json"))) return [node, program];
  const { name, version, dependencies } = JSON.parse(readFileSync(join(home, "package.json"), "utf8")) as {
    name: string;
    version: string;
    dependencies?: object;
  };
  if (!dependencies) return [node, program];
  const folder = toFolder();
  cpSync(join(home, "dist"), join(folder, "dist"), { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name, version, dependencies }));
  install(folder, node);
  return [node, join(folder, "dist/main.js")];
}

export function installWithNpm(folder: string, node: string): void {
  const PATH = [dirname(node), process.env["PATH"]].join(delimiter);
  execFileSync("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: folder,
    // The Node of the tests needs no compiler, and npm leaves none of its own compiled code in the temporary folder.
    env: {
      ...process.env,
      ...NETWORK,
      PATH,
      NODE_DISABLE_COMPILE_CACHE: "1",
      ...packBuiltSqlite(createPlace()),
    },
    stdio: ["ignore", "ignore", "inherit"],
    timeout: PATIENCE_MS,
  });
}
