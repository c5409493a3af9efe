import { parseArgs, type ParseArgsConfig } from "node:util";

import { CHECKS } from "../checks/index.ts";
import type { Check, ServerLocation } from "../checks/visit.ts";
import { RULES } from "../rules/rules.ts";
import { REVISIONS, type Revision } from "../wires/revisions.ts";

/** The command line asks for something that does not exist. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

export const HELP = `Usage: check [options] -- COMMAND [ARGUMENT...]
       check [options] --url URL

Speaks to an MCP server in every revision of the protocol, and tells what is wrong, where, and how to mend it.

  -- node my-server.js      a program that speaks on its standard streams
  --url URL                 a server that listens (Streamable HTTP)
  --header "NAME: VALUE"    goes with every request to the URL; may be repeated
  --call-tools              call every tool, not only those that say that they only read
  --revision REVISION       only this one; may be repeated
  --timeout SECONDS         for all of it (60)
  --patience SECONDS        for a single answer (10)

What is checked
  --only CHECK              only this check; may be repeated
  --skip NAME=REASON        leave out a check, or what breaks a rule; may be repeated
  --baseline FILE           findings in this file are known, and do not count
  --write-baseline          write all findings to that file
  --no-speed                do not measure
  --strict                  warnings count as errors do

What is printed
  --json                    the whole report as JSON, instead of words
  --junit FILE              a test suite for each revision
  --sarif FILE              for code scanning
  --badge FILE              .svg: a picture; otherwise JSON for an endpoint of shields.io
  --list                    the checks and rules, and where the specification has them
  --version, --help

Exit codes
  0    nothing is wrong: no errors beyond the baseline
  1    there are errors (with --strict: or warnings)
  64   the command line is wrong
  69   the server could not be started or reached, or speaks no revision
`;

/** What the command line asks for. */
export interface Wanted {
  readonly place: ServerLocation;
  readonly revisions: readonly Revision[];
  readonly checks: readonly Check[];
  /** The reasons, by the names of checks and rules. */
  readonly skipped: ReadonlyMap<string, string>;
  readonly callsAll: boolean;
  readonly measuresSpeed: boolean;
  readonly isStrict: boolean;
  readonly timeoutMs: number;
  readonly patienceMs: number;
  readonly json: boolean;
  readonly files: { readonly junit?: string; readonly sarif?: string; readonly badge?: string };
  readonly baseline?: string;
  readonly writesBaseline: boolean;
}

const TEXT = { type: "string" } as const;
const TEXTS = { type: "string", multiple: true, default: [] as string[] } as const;
const SWITCH = { type: "boolean", default: false } as const;

const OPTIONS = {
  url: TEXT,
  header: TEXTS,
  "call-tools": SWITCH,
  revision: TEXTS,
  timeout: { ...TEXT, default: "60" },
  patience: { ...TEXT, default: "10" },
  only: TEXTS,
  skip: TEXTS,
  baseline: TEXT,
  "write-baseline": SWITCH,
  "no-speed": SWITCH,
  strict: SWITCH,
  json: SWITCH,
  junit: TEXT,
  sarif: TEXT,
  badge: TEXT,
  list: SWITCH,
  version: SWITCH,
  help: SWITCH,
} as const satisfies ParseArgsConfig["options"];

function readFlags(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
  } catch (cause) {
    const [problem] = (cause as Error).message.split(". To specify a positional argument", 1);
    throw new UsageError(problem, { cause });
  }
}

/** What to check and how; or one of the words that are answered at once. */
export function readCommandLine(args: readonly string[]): Wanted | "help" | "version" | "list" {
  const { values, positionals } = readFlags(args);
  for (const word of ["help", "version", "list"] as const) if (values[word]) return word;
  const { junit, sarif, badge, baseline } = values;
  if (values["write-baseline"] && baseline === undefined)
    throw new UsageError("--write-baseline needs --baseline FILE");
  const skipped = readSkipped(values.skip);
  return {
    place: readPlace(values.url, values.header, positionals),
    revisions: choose(REVISIONS, values.revision, "--revision"),
    checks: chooseChecks(values.only).filter(({ name }) => !skipped.has(name)),
    skipped,
    callsAll: values["call-tools"],
    measuresSpeed: !values["no-speed"] && values.only.length === 0,
    isStrict: values.strict,
    timeoutMs: readSeconds(values.timeout, "--timeout"),
    patienceMs: readSeconds(values.patience, "--patience"),
    json: values.json,
    files: { ...(junit && { junit }), ...(sarif && { sarif }), ...(badge && { badge }) },
    ...(baseline && { baseline }),
    writesBaseline: values["write-baseline"],
  };
}

function readPlace(
  url: string | undefined,
  headers: readonly string[],
  command: readonly string[],
): ServerLocation {
  if (url === undefined && command.length > 0) return { command };
  if (url === undefined) throw new UsageError("Say which server: check -- node my-server.js, or --url URL");
  if (command.length > 0) throw new UsageError("One server at a time: a command or --url");
  if (!URL.canParse(url) || !/^https?:/.test(url)) throw new UsageError(`--url ${url} is no address of HTTP`);
  const pairs = headers.map((header) => {
    const [, name, value] = /^([\w-]+):\s*(.*)$/.exec(header) ?? [];
    if (name === undefined || value === undefined) throw new UsageError('--header is "NAME: VALUE"');
    return [name.toLowerCase(), value] as const;
  });
  return { url, headers: Object.fromEntries(pairs) };
}

function choose<Name extends string>(
  all: readonly Name[],
  wanted: readonly string[],
  flag: string,
): readonly Name[] {
  const unknown = wanted.find((name) => !all.some((one) => one === name));
  if (unknown !== undefined) throw new UsageError(`${flag} is one of ${all.join(", ")}`);
  return wanted.length === 0 ? all : all.filter((name) => wanted.includes(name));
}

const NAMES: readonly string[] = CHECKS.map(({ name }) => name);

/** Names may be written without spaces. */
const toName = (given: string): string => NAMES.find((name) => name.replaceAll(" ", "-") === given) ?? given;

function chooseChecks(wanted: readonly string[]): readonly Check[] {
  const names = choose(NAMES, wanted.map(toName), "--only");
  return CHECKS.filter(({ name }) => names.includes(name));
}

function readSkipped(given: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    given.map((pair) => {
      const [name = "", ...reason] = pair.split("=");
      if (reason.join("=").trim() === "") throw new UsageError(`--skip ${name} needs a reason: NAME=REASON`);
      const known = toName(name);
      if (!NAMES.includes(known) && !(known in RULES))
        throw new UsageError(`--skip ${name}: there is no such check or rule (--list shows them)`);
      return [known, reason.join("=").trim()];
    }),
  );
}

function readSeconds(given: string, flag: string): number {
  const seconds = Number(given);
  if (!(seconds > 0 && seconds <= 86_400)) throw new UsageError(`${flag} is a number of seconds`);
  return seconds * 1000;
}
