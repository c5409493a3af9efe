import { inspect, parseArgs } from "node:util";
import { TourFailure, type TourServer } from "./conversation.ts";
import { Screen, type TerminalOutput } from "./screen.ts";
import { runTour } from "./tour.ts";

export interface Surroundings {
  readonly stdout: TerminalOutput;
  readonly stderr: TerminalOutput;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The whole program but for the process it runs in; gives the exit code. */
export async function runCommand(
  args: readonly string[],
  servers: readonly TourServer[],
  { stdout, stderr, env }: Surroundings,
): Promise<number> {
  const known = servers.map(({ name }) => name);
  try {
    const command = parseCommand(args, known);
    const isChosen = ({ name, isExample = false }: TourServer): boolean =>
      command.servers.length === 0 ? command.all || !isExample : command.servers.includes(name);
    const screen = new Screen(stdout, { env, brief: !command.all });
    if (command.help) stdout.write(toHelp(known));
    else await runTour(servers.filter(isChosen), screen, command.all);
    return 0;
  } catch (thrown) {
    if (thrown instanceof UsageError) {
      stderr.write(`tour: ${thrown.message}\nTry --help.\n`);
      return 64;
    }
    // Only what was foreseen is told in words; anything else is a defect, and a defect needs its stack.
    stderr.write(`tour: ${thrown instanceof TourFailure ? thrown.message : inspect(thrown)}\n`);
    return 1;
  }
}

interface TourCommand {
  readonly help: boolean;
  readonly all: boolean;
  /** None named: the five, and the example too with `all`. */
  readonly servers: readonly string[];
}

/** The command line asks for something that does not exist. */
class UsageError extends Error {
  override readonly name = "UsageError";
}

function parseCommand(args: readonly string[], known: readonly string[]): TourCommand {
  const { values, positionals } = parseFlags(args);
  const unknown = positionals.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    throw new UsageError(`no server ${unknown.join(", ")}; there are: ${known.join(", ")}`);
  }
  return { help: values.help ?? false, all: values.all ?? false, servers: positionals };
}

function parseFlags(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { help: { type: "boolean", short: "h" }, all: { type: "boolean" } },
    });
  } catch (cause) {
    // What Node.js adds for positional arguments that begin with a dash helps nobody here: none does.
    const [problem] = (cause as Error).message.split(". To specify a positional argument", 1);
    throw new UsageError(problem, { cause });
  }
}

const toHelp = (known: readonly string[]): string => `Usage: npm start -- [server…] [options]

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
