import { writeFileSync } from "node:fs";
import { PathGuard } from "@suite/server-kit/domain";
import { expect, it } from "vitest";
import type { DatabaseProcess } from "../../src/domain/engine/database-process.ts";
import { importFile } from "../../src/domain/import-file.ts";
import { useScratch } from "./scratch.ts";
import { collect } from "./transfer/pieces.ts";

const scratch = useScratch();

/** Takes in all there is. */
const engine = {
  task: (_name: string, _args: unknown, _signal: unknown, options: { input: AsyncIterable<unknown> }) =>
    collect(options.input),
} as unknown as DatabaseProcess;

it("a file without rows can be stopped on the way to its end", async () => {
  writeFileSync(scratch.path("a.csv"), `a,b\n${"\n".repeat(1_000_000)}`);
  const controller = new AbortController();
  setImmediate(() => controller.abort());
  const asked = {
    path: "a.csv",
    table: "t",
    create: false,
    dryRun: false,
    skipBad: false,
    encoding: undefined,
    format: undefined,
    dialect: { delimiter: undefined, quote: undefined, decimal: undefined },
    columns: undefined,
    header: undefined,
  };
  const guard = new PathGuard({ roots: [scratch.folder] });
  await expect(importFile(engine, guard, asked, controller.signal, () => {})).rejects.toThrow("aborted");
});
