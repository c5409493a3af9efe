import { parseArgs, type ParseArgsConfig } from "node:util";

/** The command line asks for something that does not exist. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

export function parseFlags<const Config extends ParseArgsConfig>(
  config: Config,
): ReturnType<typeof parseArgs<Config>> {
  try {
    return parseArgs(config);
  } catch (cause) {
    // What Node.js adds for positional arguments that begin with a dash helps nobody here: none does.
    const [problem] = (cause as Error).message.split(". To specify a positional argument", 1);
    throw new UsageError(problem, { cause });
  }
}
