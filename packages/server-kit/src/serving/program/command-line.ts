import type { ExitError } from "../options/exit.ts";
import { generalOptions, standardOptions } from "../options/standard-options.ts";
import type { OptionTable, PositionalTable } from "../options/option.ts";
import type { Origins } from "../options/origin.ts";
import { toExitError } from "../options/problem.ts";
import { type Resolution, resolveOptions } from "../options/resolve.ts";
import type { PrintedAnswer, ProgramIo } from "../telemetry/io.ts";
import type { Program, ProgramOptions } from "./program.ts";
import { createRedact, type Redact } from "../telemetry/redact.ts";

export interface CommandLine {
  readonly options: ProgramOptions;
  readonly origins: Origins;
  readonly redact: Redact;
  /** Output to print, or the error to fail with, instead of serving. */
  readonly answer: PrintedAnswer | ExitError | undefined;
}

/**
 * Reads the command line, environment and configuration file. Imported statically although a run without arguments needs
 * little of it: most runs have arguments, and loading one more file would cost them more than it saves the others.
 */
export async function readCommandLine(program: Program, io: ProgramIo): Promise<CommandLine> {
  const { argv, env } = io;
  // A server's own options are listed first and override standard ones of the same name.
  const standard = program.keepsContract === false ? generalOptions : standardOptions;
  const table: OptionTable = { ...program.options, ...standard, ...program.options };
  const positionals: PositionalTable = program.positionals ?? {};
  const resolution = await resolveOptions({ table, positionals, argv: argv.slice(2), env });
  const options = resolution.options as ProgramOptions;
  const secrets = Object.keys(table).filter(
    (key) => table[key]?.secret && resolution.options[key] !== undefined,
  );
  const redact = createRedact(secrets.flatMap((key) => [resolution.options[key]].flat().map(String)));
  return {
    options,
    origins: resolution.origins,
    redact,
    answer: await toAnswer({ program, table, positionals, resolution, io, redact }),
  };
}

interface CommandLineQuestion {
  readonly program: Program;
  readonly table: OptionTable;
  readonly positionals: PositionalTable;
  readonly resolution: Resolution<OptionTable>;
  readonly io: ProgramIo;
  readonly redact: Redact;
}

async function toAnswer(question: CommandLineQuestion): Promise<PrintedAnswer | ExitError | undefined> {
  const { program, table, positionals, resolution, io } = question;
  const options = resolution.options as ProgramOptions;
  if (options.help) {
    const { toHelp } = await import("./help.ts");
    return { text: toHelp(program, table, positionals) };
  }
  if (options.version) return { text: `${program.name} ${program.version}\n` };
  if (resolution.problems.length > 0) return toExitError(resolution.problems);
  if (options.printConfig) {
    const { printConfig } = await import("./print-config.ts");
    return { text: printConfig({ ...table, ...positionals }, resolution, options.json) };
  }
  if (options.printHostConfig !== undefined) {
    const { printHostConfig } = await import("./print-host-config.ts");
    return printHostConfig(program, { ...table, ...positionals }, resolution, io);
  }
  if (options.printSkills !== undefined) {
    const { printSkills } = await import("./print-skills.ts");
    return printSkills(program, options.printSkills);
  }
  if (!options.doctor) return undefined;
  const { examine } = await import("./doctor.ts");
  return examine(program, options, question.redact);
}
