import { runCommand } from "./command.ts";
import { SERVERS } from "./servers.ts";

const INTERRUPTED = 130;

// Servers end by themselves when this process does: they see their standard input close. A second signal must not end the tidying.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, () => process.exit(INTERRUPTED));
}

process.exitCode = await runCommand(process.argv.slice(2), SERVERS, process);
