import { parseFlags, UsageError } from "../support/usage.ts";

export interface BenchCommand {
  readonly suite: string | undefined;
  /** The folder of a corpus. */
  readonly source: string | undefined;
  readonly rounds: number;
  readonly quick: boolean;
  readonly only: readonly string[] | undefined;
  /** A version that npm knows. */
  readonly node: string | undefined;
  readonly save: boolean;
  readonly help: boolean;
}

const maxRounds = 1_000;

export function parseCommand(args: readonly string[]): BenchCommand {
  const { values, positionals } = parseFlags({
    args: [...args],
    allowPositionals: true,
    options: {
      rounds: { type: "string" },
      quick: { type: "boolean" },
      only: { type: "string" },
      node: { type: "string" },
      save: { type: "boolean" },
      help: { type: "boolean", short: "h" },
    },
  });
  const [suite, source] = positionals;
  if (positionals.length > (suite === "articles" ? 2 : 1))
    throw new UsageError(`one suite at a time, not ${positionals.join(" and ")}`);
  if (values.node !== undefined && suite !== "fresh") throw new UsageError("--node is for the suite fresh");
  if (values.only !== undefined && !/^(?:fresh|npx|tasks)$/.test(suite ?? ""))
    throw new UsageError("--only is for the suites fresh, npx and tasks: the others compare all");
  const quick = values.quick ?? false;
  if (quick && values.save) throw new UsageError("--save is for figures to publish, and not with --quick");
  return {
    suite,
    source,
    rounds: values.rounds === undefined ? (quick ? 5 : 20) : parseRounds(values.rounds),
    quick,
    only: values.only?.split(",").map((name) => name.trim()),
    node: values.node,
    save: values.save ?? false,
    help: values.help ?? false,
  };
}

function parseRounds(text: string): number {
  const rounds = Number(text);
  if (!Number.isInteger(rounds) || rounds < 1 || rounds > maxRounds) {
    throw new UsageError(`--rounds takes a whole number from 1 to ${maxRounds}, not ${JSON.stringify(text)}`);
  }
  return rounds;
}
