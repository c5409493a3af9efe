import { inspect } from "node:util";
import { Screen, type TerminalOutput } from "./screen.ts";
import { runTour } from "./tour.ts";
import { TourFailure, type TourServer } from "./tour-server.ts";
import { UsageError } from "../support/usage.ts";
import { parseCommand, toHelp } from "./usage.ts";

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
