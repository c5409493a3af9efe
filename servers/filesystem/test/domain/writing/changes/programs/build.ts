import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { toChildProgramBuild } from "@suite/server-kit/testing";
import { build } from "esbuild";
import { afterAll } from "vitest";

/**
 * Makes one of the programs beside this file ready to be run as a process of its own. To be called at the top of a file:
 * it is gone after the last test there.
 */
export async function buildProgram(name: string): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), "suite-program-"));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));
  await build(toChildProgramBuild(fileURLToPath(new URL(`${name}.ts`, import.meta.url)), directory));
  return join(directory, `${name}.mjs`);
}
