import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { toChildProgramBuild } from "@suite/server-kit/testing";
import { build, type Plugin } from "esbuild";
import { afterAll, beforeAll } from "vitest";

const nativeModule = createRequire(import.meta.url).resolve("better-sqlite3");

/** The worker as a program, built from its source for the tests of one file, with tasks of theirs if they bring any. */
export function useWorkerProgram({ tasks }: { tasks?: URL } = {}): { readonly url: URL } {
  const program = { url: new URL("file:///not-built-yet") };
  let folder = "";
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "suite-sqlite-worker-"));
    await build({
      ...toChildProgramBuild(fileURLToPath(new URL("../../src/worker.ts", import.meta.url)), folder),
      // Outside the package its name would lead nowhere.
      alias: { "better-sqlite3": nativeModule },
      external: [nativeModule],
      plugins: tasks ? [replaceTasks(fileURLToPath(tasks))] : [],
    });
    program.url = pathToFileURL(join(folder, "worker.mjs"));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return program;
}

const replaceTasks = (path: string): Plugin => ({
  name: "replace-tasks",
  setup: (program) => program.onResolve({ filter: /^\.\/tasks\/index\.ts$/ }, () => ({ path })),
});
