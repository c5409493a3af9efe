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
    throw new UsageError(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}
