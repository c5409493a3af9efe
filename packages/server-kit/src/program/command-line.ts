import type { ExitError } from "../exit.ts";
import { standardOptions } from "../options/standard-options.ts";
import type { OptionTable, PositionalTable } from "../options/option.ts";
import { toExitError } from "../options/problem.ts";
import { type Origin, type Resolution, resolveOptions } from "../options/resolve.ts";
import type { ProgramIo } from "./io.ts";
import type { Program, ProgramOptions } from "./program.ts";
import { createRedact, type Redact } from "./redact.ts";

export interface CommandLine {
  readonly options: ProgramOptions;
  readonly origins: { readonly [key: string]: Origin };
  readonly redact: Redact;
  /** What to print, or to complain about, instead of serving. */
  readonly answer: string | ExitError | undefined;
}

/**
 * Reads what the operator says. Not loaded on request, although a run without arguments does without it: most servers take
 * some, and for those a further file costs more than it saves the others.
 */
export async function readCommandLine(program: Program, io: ProgramIo): Promise<CommandLine> {
  const { argv, env } = io;
  // A server's own options are shown first, and count more.
  const table: OptionTable = { ...program.options, ...standardOptions, ...program.options };
  const positionals: PositionalTable = program.positionals ?? {};
  const resolution = await resolveOptions({ table, positionals, argv: argv.slice(2), env });
  const options = resolution.options as ProgramOptions;
  const secrets = Object.keys(table).filter(
    (key) => table[key]?.secret && resolution.options[key] !== undefined,
  );
  return {
    options,
    origins: resolution.origins,
    redact: createRedact(secrets.flatMap((key) => [resolution.options[key]].flat().map(String))),
    answer: await toAnswer({ program, table, positionals, resolution, argv }),
  };
}

interface Question {
  readonly program: Program;
  readonly table: OptionTable;
  readonly positionals: PositionalTable;
  readonly resolution: Resolution<OptionTable>;
  readonly argv: readonly string[];
}

async function toAnswer(question: Question): Promise<string | ExitError | undefined> {
  const { program, table, positionals, resolution, argv } = question;
  const { help, version, printConfig, json } = resolution.options as ProgramOptions;
  if (help) {
    const { toHelp } = await import("./help.ts");
    return toHelp(program, table, positionals, argv);
  }
  if (version) return `${program.name} ${program.version}\n`;
  if (resolution.problems.length > 0) return toExitError(resolution.problems);
  if (!printConfig) return undefined;
  const { printConfig: print } = await import("./print-config.ts");
  return print({ ...table, ...positionals }, resolution, json);
}
