import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { toChildProgramBuild } from "@suite/server-kit/testing";
import { build, type OutputFile, type Plugin } from "esbuild";
import { afterAll, beforeAll } from "vitest";

// On Windows an absolute path is no module's name.
const nativeModule = pathToFileURL(createRequire(import.meta.url).resolve("better-sqlite3")).href;

const bundle = async (tasks?: URL): Promise<readonly OutputFile[]> => {
  const { outputFiles } = await build({
    ...toChildProgramBuild(fileURLToPath(new URL("../../src/worker.ts", import.meta.url)), "worker"),
    write: false,
    // Outside the package its name would lead nowhere.
    alias: { "better-sqlite3": nativeModule },
    external: [nativeModule],
    plugins: tasks ? [replaceTasks(fileURLToPath(tasks))] : [],
  });
  return outputFiles;
};

/** Without tasks of a test's, it is the same for all the files that share this process. */
let shared: ReturnType<typeof bundle> | undefined;

/** The worker as a program, built from its source, with tasks of the tests' if they bring any. It is gone after a file's last test. */
export function useWorkerProgram({ tasks }: { tasks?: URL } = {}): { readonly url: URL } {
  const program = { url: new URL("file:///not-built-yet") };
  let folder = "";
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "suite-sqlite-worker-"));
    for (const { path, contents } of await (tasks ? bundle(tasks) : (shared ??= bundle())))
      writeFileSync(join(folder, basename(path)), contents);
    program.url = pathToFileURL(join(folder, "worker.mjs"));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return program;
}

const replaceTasks = (path: string): Plugin => ({
  name: "replace-tasks",
  setup: (program) => program.onResolve({ filter: /^\.\/tasks\/index\.ts$/ }, () => ({ path })),
});
