import { parseArgs } from "node:util";

/** The command line asks for something that does not exist. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

export interface TourCommand {
  readonly help: boolean;
  /** All of them when none is named. */
  readonly servers: readonly string[];
}

export function parseCommand(args: readonly string[], known: readonly string[]): TourCommand {
  const { values, positionals } = parseFlags(args);
  const unknown = positionals.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    throw new UsageError(`no server ${unknown.join(", ")}; there are: ${known.join(", ")}`);
  }
  return { help: values.help ?? false, servers: positionals };
}

interface Flags {
  readonly values: { readonly help?: boolean };
  readonly positionals: readonly string[];
}

function parseFlags(args: readonly string[]): Flags {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { help: { type: "boolean", short: "h" } },
    });
  } catch (cause) {
    throw new UsageError(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

export const toHelp = (known: readonly string[]): string => `Usage: npm start -- [server…] [options]

Starts the servers as real processes, talks to each of them over stdio in all protocol revisions, shows what they
offer and do, and ends with the configuration for your host. Works on sample data in a temporary folder of its own.

Servers
  ${known.join(", ")} (all of them when none is named)

Options
  -h, --help      this text

Exit status: 0 everything worked; 1 a server failed; 64 wrong usage; 130 interrupted.
Colours appear on a terminal unless NO_COLOR is set.
`;
