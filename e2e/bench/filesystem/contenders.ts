import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import type { Driven } from "../core/driving.ts";
import { bundleServer } from "../measure/bundle.ts";

export const floorName = "floor";
export const oursName = "ours";
export const referenceName = "reference";
export const contenderNames: readonly string[] = [floorName, referenceName, oursName];

const { resolve } = createRequire(import.meta.url);

/** Every server as its users run it. The floor knows no files: it shows what a process costs that does nothing. */
export async function prepareContenders(
  names: readonly string[],
  folder: string,
  root: string,
): Promise<Driven[]> {
  const floor = fileURLToPath(new URL("../core/servers/floor.js", import.meta.url));
  const scripts = new Map([
    [floorName, await bundleServer(floor, folder, { commonJsInside: false, external: [] })],
    [referenceName, packageFile("@modelcontextprotocol/server-filesystem", "dist/index.js")],
    [oursName, packageFile("@suite/server-filesystem", "dist/main.js")],
  ]);
  return [...scripts]
    .filter(([name]) => name === floorName || names.includes(name))
    .map(([name, script]) => ({ name, script, args: name === floorName ? [] : [root] }));
}

const packageFile = (name: string, file: string): string =>
  join(dirname(resolve(`${name}/package.json`)), file);
