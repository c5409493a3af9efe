import { parseFlags, UsageError } from "../support/usage.ts";

export interface TourCommand {
  readonly help: boolean;
  readonly all: boolean;
  /** None named: the five, and the example too with `all`. */
  readonly servers: readonly string[];
}

export function parseCommand(args: readonly string[], known: readonly string[]): TourCommand {
  const { values, positionals } = parseFlags({
    args: [...args],
    allowPositionals: true,
    options: { help: { type: "boolean", short: "h" }, all: { type: "boolean" } },
  });
  const unknown = positionals.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    throw new UsageError(`no server ${unknown.join(", ")}; there are: ${known.join(", ")}`);
  }
  return { help: values.help ?? false, all: values.all ?? false, servers: positionals };
}

export const toHelp = (known: readonly string[]): string => `Usage: npm start -- [server…] [options]

Starts the servers as real processes, shows what each does, one screen per server, and ends with configuration for
your host. It works on sample data in a temporary folder, a page and a stand-in for GitHub on this machine.

Servers
  ${known.join(", ")}

Options
      --all       everything: all tools, resources and prompts, more calls, every revision, more hosts
  -h, --help      this text

Exit status: 0 everything worked; 1 a server failed; 64 wrong usage; 130 interrupted.
Colours appear on a terminal unless NO_COLOR is set.
`;
