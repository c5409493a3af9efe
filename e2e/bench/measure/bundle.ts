import { basename, join } from "node:path";
import { build } from "esbuild";

// Packages written for CommonJS call require() even from inside an ESM bundle.
const requireForBundledPackages =
  'import { createRequire as benchCreateRequire } from "node:module"; const require = benchCreateRequire(import.meta.url);';

interface BundleOptions {
  readonly commonJsInside?: boolean;
  readonly external?: readonly string[];
}

/** Bundles a compiled server the way ours are shipped, one ESM file and what it loads on demand; returns that file. */
export async function bundleServer(
  entry: string,
  folder: string,
  { commonJsInside = false, external = [] }: BundleOptions = {},
): Promise<string> {
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
    external: [...external],
    ...(commonJsInside && { banner: { js: requireForBundledPackages } }),
  });
  return join(folder, `${basename(entry, ".js")}.mjs`);
}
