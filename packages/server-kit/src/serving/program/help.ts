import { EXIT_CODES } from "../options/exit.ts";
import type { OptionSpec, OptionTable, PositionalTable } from "../options/option.ts";
import { placeholderOf, valueToText } from "../options/value-types.ts";
import type { Example, Program } from "./program.ts";
import { COLUMNS, toEntry, wrap } from "./wrap.ts";

const COLUMN = 30;
const OWN_GROUP = "Options";

const CODES: { readonly [Reason in keyof typeof EXIT_CODES]: string } = {
  clean: "Clean exit: end of input, a signal, or the requested output was printed.",
  usage: "The command line is wrong.",
  unavailable: "Something needed is missing or unavailable, such as a port.",
  internal: "An error in the program.",
  configuration: "The configuration cannot be used: a value, a file or a directory.",
};

const PRECEDENCE =
  "Flags take precedence over environment variables, those over the configuration file, and that over defaults. A variable that is set but empty counts as not set. --no-… switches a flag without a value off, such as --no-sse.";

/** The --help text, generated from the same tables that parse the options. */
export function toHelp(program: Program, table: OptionTable, positionals: PositionalTable): string {
  const sections = [
    wrap(`Usage: ${toUsage(program.name, positionals)}`, COLUMNS),
    wrap(program.description, COLUMNS),
    toSection("Arguments", Object.values(positionals).map(toOption)),
    ...toGroups(table).map(([group, specs]) => toSection(group, specs.map(toOption))),
    wrap(PRECEDENCE, COLUMNS),
    toSection("Exit codes", Object.entries(CODES).map(toExitCode)),
    toSection("Examples", toExamples(program)),
  ];
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n")}\n`;
}

const toSection = (title: string, entries: readonly (readonly string[])[]): readonly string[] =>
  entries.length === 0 ? [] : [`${title}:`, ...entries.flat()];

function toUsage(name: string, positionals: PositionalTable): string {
  const words = Object.values(positionals).map(({ placeholder, type, required }) => {
    const word = type === "list" ? `${placeholder}...` : placeholder;
    return required ? word : `[${word}]`;
  });
  return [name, "[options]", ...words].join(" ");
}

/** In the order in which the tables name them. */
function toGroups(table: OptionTable): readonly (readonly [string, OptionSpec[]])[] {
  const groups = new Map<string, OptionSpec[]>();
  for (const spec of Object.values(table)) {
    const group = spec.group ?? OWN_GROUP;
    groups.set(group, [...(groups.get(group) ?? []), spec]);
  }
  return [...groups];
}

const toOption = (spec: OptionSpec): readonly string[] => toEntry(toTerm(spec), toText(spec), COLUMN);

/** A secret has no flag: its variable stands in for one. */
function toTerm(spec: OptionSpec): string {
  if (spec.flag === undefined) return (spec.secret ? spec.env : spec.placeholder) ?? "";
  const names = [spec.short, spec.flag].filter((name) => name !== undefined).join(", ");
  return `${names} ${placeholderOf(spec)}`.trimEnd();
}

function toText(spec: OptionSpec): string {
  const facts = [
    spec.required && "required",
    spec.secret && `a secret: set this variable, or name a file that holds it in ${spec.env}_FILE`,
    !spec.secret &&
      spec.env !== undefined &&
      `environment: ${[spec.env, spec.alsoEnv].filter(Boolean).join(" or ")}`,
    spec.default !== undefined && `default: ${valueToText(spec.default, spec)}`,
  ].filter((fact) => typeof fact === "string");
  return [spec.description, ...facts.map((fact) => `[${fact}]`)].join(" ");
}

const toExitCode = ([reason, text]: [string, string]): readonly string[] =>
  toEntry(String(EXIT_CODES[reason as keyof typeof EXIT_CODES]), text, 8);

function toExamples({ name, examples = [] }: Program): readonly (readonly string[])[] {
  const usual = examples[0]?.args ?? "";
  const overHttp: Example = {
    args: `--http 3000 ${usual}`,
    description: "Serves http://127.0.0.1:3000/mcp.",
  };
  const inHost: Example = {
    args: `--print-host-config claude-desktop ${usual}`,
    description: "Prints configuration for a host.",
  };
  return [...examples, overHttp, inHost].map(({ args, description }) => [
    `  ${name} ${args}`.trimEnd(),
    ...wrap(description, COLUMNS - 6).map((line) => `      ${line}`),
  ]);
}
