import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { homeOf } from "../../support/installed.ts";
import type { Driven } from "./driving.ts";

export const FLOOR = "floor";
export const OURS = "ours";

/** Bundles a compiled server the way ours are shipped, one ESM file and what it loads on demand; returns that file. */
export async function bundleServer(entry: string, folder: string): Promise<string> {
  await build({
    entryPoints: [entry],
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    minifyWhitespace: true,
    minifySyntax: true,
    target: "node20.19",
    logLevel: "silent",
    external: ["ws"],
  });
  return join(folder, `${basename(entry, ".js")}.mjs`);
}

/** Knows no files, SQL or the like: it shows what a process costs that does nothing. */
export async function prepareFloor(folder: string): Promise<Driven> {
  const script = fileURLToPath(new URL("../core/servers/floor.js", import.meta.url));
  return { name: FLOOR, script: await bundleServer(script, folder) };
}

export const ours = (server: string, args: readonly string[]): Driven => ({
  name: OURS,
  script: join(homeOf(`@suite/server-${server}`), "dist/main.js"),
  args,
});
