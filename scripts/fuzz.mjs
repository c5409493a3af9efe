// `npm run fuzz -- --seconds 600 --only globs,csv --seed 7`: gives the suite's parsers texts that nobody would write, and tells which
// of them are read wrongly, break the parser or take too long.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { Worker } from "node:worker_threads";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const cache = join(root, "node_modules/.cache/fuzz");
const bundle = join(cache, `${process.pid}.mjs`);
/** The largest text, in bytes. */
const ROOM = 400_000;
const HANG_MS = 60_000;

const { values: options } = parseArgs({
  options: {
    seconds: { type: "string", default: "60" },
    seed: { type: "string", default: String(Date.now() % 2 ** 31) },
    only: { type: "string" },
    // The most processor time that a text of 100,000 characters may take.
    "slow-ms": { type: "string", default: "5000" },
    parsers: { type: "string", default: join(root, "scripts/fuzz/parsers.ts") },
  },
});

/**
 * @param {string} name
 * @returns {Promise<boolean>} whether nothing was found
 */
async function fuzz(name) {
  const counts = new Int32Array(new SharedArrayBuffer(12));
  const text = new Uint8Array(new SharedArrayBuffer(ROOM));
  const seed = Number(options.seed);
  const worker = new Worker(bundle, {
    workerData: {
      name,
      seconds: Number(options.seconds),
      slowMs: Number(options["slow-ms"]),
      seed,
      counts,
      text,
    },
  });
  let before = -1;
  const watch = setInterval(() => {
    if (counts[0] === before) worker.emit("error", new Error(`It has not ended after ${HANG_MS / 1000} s`));
    before = counts[0] ?? 0;
  }, HANG_MS);
  const problem = await new Promise((resolve) => worker.once("error", resolve).once("exit", resolve));
  clearInterval(watch);
  await worker.terminate();
  const read = `${name}: ${counts[0]} texts; new code was reached ${counts[1]} times`;
  if (problem === 0) {
    console.log(read);
    return true;
  }
  const found = Buffer.from(text.slice(0, counts[2]));
  const file = join(cache, `${name}.txt`);
  writeFileSync(file, found);
  console.error(`${read}; --only ${name} --seed ${seed} found ${file} (${found.length} bytes)`);
  console.error(JSON.stringify(found.toString().slice(0, 500)), problem);
  return false;
}

mkdirSync(cache, { recursive: true });
const file = JSON.stringify(options.parsers);
await build({
  stdin: {
    contents: `import { fuzz } from "./fuzz/thread.ts"; import { PARSERS } from ${file};
      import { workerData } from "node:worker_threads";
      export const names = Object.keys(PARSERS);
      if (workerData) await fuzz(PARSERS, workerData);`,
    resolveDir: join(root, "scripts"),
  },
  outfile: bundle,
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node20",
  alias: { "@suite/server-kit/domain": join(root, "packages/server-kit/src/domain.ts") },
  // For libraries in CommonJS.
  banner: {
    js: 'import { createRequire as toRequire } from "node:module"; const require = toRequire(import.meta.url);',
  },
});
try {
  const { names } = await import(pathToFileURL(bundle).href);
  for (const name of options.only?.split(",") ?? names) if (!(await fuzz(name))) process.exitCode = 1;
} finally {
  rmSync(bundle);
}
