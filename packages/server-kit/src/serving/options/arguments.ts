import type { OptionSpec, OptionTable, PositionalTable } from "./option.ts";
import type { Problem } from "./problem.ts";
import { toShown } from "./to-shown.ts";
import { toSuggestion } from "../../domain/errors/suggest.ts";

/** One option as given on the command line. */
export interface GivenOption {
  /** As it was written there, or the placeholder of an argument without a flag. */
  readonly name: string;
  readonly texts: string[];
  readonly isPositional: boolean;
}

export interface ParsedArguments {
  readonly given: ReadonlyMap<string, GivenOption>;
  readonly problems: readonly Problem[];
}

interface Flag {
  readonly key: string;
  readonly spec: OptionSpec;
}

const NO_ARGUMENTS: ParsedArguments = { given: new Map(), problems: [] };

/** Parses the command line. Not with node:util's parseArgs: loading it would add 2 ms to every start. */
export function readArguments(
  argv: readonly string[],
  table: OptionTable,
  positionals: PositionalTable,
): ParsedArguments {
  return argv.length === 0 ? NO_ARGUMENTS : new ArgumentReader(argv, table, positionals).read();
}

class ArgumentReader {
  readonly #argv: readonly string[];
  readonly #table: OptionTable;
  readonly #positionals: PositionalTable;
  readonly #flags: ReadonlyMap<string, Flag>;
  readonly #given = new Map<string, GivenOption>();
  readonly #words: string[] = [];
  readonly #problems: Problem[] = [];
  #next = 0;

  constructor(argv: readonly string[], table: OptionTable, positionals: PositionalTable) {
    this.#argv = argv;
    this.#table = table;
    this.#positionals = positionals;
    this.#flags = indexFlags(table);
  }

  read(): ParsedArguments {
    while (this.#next < this.#argv.length) {
      const argument = this.#argv[this.#next++] ?? "";
      if (argument === "--") {
        this.#words.push(...this.#argv.slice(this.#next));
        break;
      }
      if (argument === "-" || !argument.startsWith("-")) this.#words.push(argument);
      else this.#takeFlag(argument);
    }
    // A word after an unknown flag was probably meant as its value: do not report it as well.
    if (this.#problems.length === 0) this.#takeWords();
    return { given: this.#given, problems: this.#problems };
  }

  #takeFlag(argument: string): void {
    const [name = "", ...rest] = argument.split("=");
    const inline = argument.includes("=") ? rest.join("=") : undefined;
    const flag = this.#flags.get(name);
    const negated = flag ? undefined : this.#findNegated(name);
    if (negated && inline === undefined) this.#add(negated.key, name, "false");
    else if (!flag) this.#refuse(this.#whyUnknown(name));
    else if (flag.spec.type === "boolean") this.#add(flag.key, name, inline ?? "true");
    else this.#addValue(flag.key, name, inline ?? this.#takeValue());
  }

  /** `--no-sse` overrides the environment or a file. */
  #findNegated(name: string): Flag | undefined {
    const flag = name.startsWith("--no-") ? this.#flags.get(`--${name.slice(5)}`) : undefined;
    return flag?.spec.type === "boolean" && !flag.spec.isCommand ? flag : undefined;
  }

  #takeValue(): string | undefined {
    const next = this.#argv[this.#next];
    if (next === undefined || next.startsWith("--") || this.#flags.has(next)) return undefined;
    this.#next += 1;
    return next;
  }

  #addValue(key: string, name: string, value: string | undefined): void {
    if (value === undefined || value === "") this.#refuse(`${name} needs a value`);
    else this.#add(key, name, value);
  }

  #add(key: string, name: string, text: string): void {
    const known = this.#given.get(key);
    if (!known) this.#given.set(key, { name, texts: [text], isPositional: false });
    else if (this.#table[key]?.type === "list") known.texts.push(text);
    else this.#refuse(`${name} is given more than once`);
  }

  #takeWords(): void {
    let words = this.#words;
    for (const [key, { placeholder, type }] of Object.entries(this.#positionals)) {
      const texts = words.slice(0, type === "list" ? words.length : 1);
      words = words.slice(texts.length);
      if (texts.length > 0) this.#given.set(key, { name: placeholder, texts, isPositional: true });
    }
    for (const word of words) this.#refuse(`Unexpected argument ${toShown(word)}`);
  }

  #whyUnknown(name: string): string {
    const secret = Object.values(this.#table).find(
      ({ secret: isSecret, env = "" }) => isSecret && sameName(name, env),
    );
    if (secret) return `${name} is a secret, and other users can read arguments: set ${secret.env} instead`;
    return `Unknown option ${name}${toSuggestion(name, this.#flags.keys())}`;
  }

  #refuse(message: string): void {
    this.#problems.push({ reason: "usage", message });
  }
}

function indexFlags(table: OptionTable): ReadonlyMap<string, Flag> {
  const flags = new Map<string, Flag>();
  for (const [key, spec] of Object.entries(table)) {
    for (const name of [spec.flag, spec.short]) {
      if (name === undefined) continue;
      if (flags.has(name)) throw new Error(`Two options have the flag ${name}`);
      flags.set(name, { key, spec });
    }
  }
  return flags;
}

/** --api-token means API_TOKEN, and SUITE_API_TOKEN too. */
function sameName(flag: string, env: string): boolean {
  const words = flag.slice(2).toUpperCase().replaceAll("-", "_");
  return env === words || env.endsWith(`_${words}`);
}
