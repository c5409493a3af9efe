#!/usr/bin/env node
import { parseArguments, UsageError, USAGE } from "./arguments.ts";

const USAGE_FAULT = 64;
const UNAVAILABLE = 69;

/** 0: done. 1: the server, or its tool, said no. 64: the command line makes no sense. 69: no connection, or no right to one. */
async function main(args: readonly string[]): Promise<number> {
  try {
    const wanted = parseArguments(args);
    if (wanted === "help") {
      process.stdout.write(USAGE);
      return 0;
    }
    const { run } = await import("./run.ts");
    return await run(wanted);
  } catch (thrown) {
    const { message, hint } = thrown as Error & { readonly hint?: string };
    const { toPlain } = await import("./show.ts");
    process.stderr.write(`${toPlain(message)}\n${hint === undefined ? "" : `${hint}\n`}`);
    return thrown instanceof UsageError ? USAGE_FAULT : UNAVAILABLE;
  }
}

void main(process.argv.slice(2)).then((code) => (process.exitCode = code));
