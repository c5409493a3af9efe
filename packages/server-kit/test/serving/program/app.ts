import { createServer } from "../../../src/serving/contract/create-server.ts";
import type { Program } from "../../../src/serving/program/program.ts";
import { ProgramRun } from "../../../src/serving/program/run.ts";
import { RecordedIo } from "./recorded-io.ts";

/** The least that is a program. */
export const app: Program = {
  name: "app",
  version: "1.2.3",
  description: "An app.",
  create: (_, { contract }) =>
    createServer({ name: "app", version: "1.2.3", state: undefined, tools: [] }, contract),
};

/** Runs it, or what differs from it, to its end. */
export async function run(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  program: Partial<Program> = {},
): Promise<RecordedIo> {
  const io = new RecordedIo(args, env);
  await new ProgramRun({ ...app, ...program }, io).run();
  return io;
}
