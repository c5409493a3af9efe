interface OptionFacts<Value> {
  /** For a person: one or two sentences. */
  readonly description: string;
  /** Environment variable. Set but empty is the same as not set. */
  readonly env?: string;
  /** Another variable that people may have set, such as that of a server they come from. `env` comes first. */
  readonly alsoEnv?: string;
  /** Shown instead of the value in --help, such as FILE. */
  readonly placeholder?: string;
  /** Heading in --help. */
  readonly group?: string;
  /** The program does not start without a value. */
  readonly required?: boolean;
  /** Keys of other options: without any of them, giving this one as a flag is an error because it has no effect. */
  readonly needs?: string | readonly string[];
  /** An action for this run, not a setting: not allowed in a configuration file, and not shown by --print-config. */
  readonly isCommand?: boolean;
  /** Returns what was expected if the value is invalid: "a port from 0 to 65535". */
  readonly check?: (value: Value) => string | undefined;
  /** For paths: makes one path, or one item of a list, independent of the working directory. */
  readonly toAbsolute?: (folder: string, text: string) => string;
  readonly flag?: `--${string}`;
  readonly short?: `-${string}`;
  readonly secret?: boolean;
  /** --print-host-config includes this secret even if it is not set, unless one of these other options is set. */
  readonly askedUnless?: readonly string[];
}

interface StringOption extends OptionFacts<string> {
  readonly type: "string";
  readonly default?: string;
}

interface BooleanOption extends OptionFacts<boolean> {
  readonly type: "boolean";
  readonly default?: boolean;
}

interface IntegerOption extends OptionFacts<number> {
  readonly type: "integer";
  readonly default?: number;
  readonly min?: number;
  readonly max?: number;
}

/** In milliseconds; written as 500ms, 30s, 5m or 1h. */
interface DurationOption extends OptionFacts<number> {
  readonly type: "duration";
  readonly default?: number;
}

/** As a flag it may be repeated. */
interface ListOption extends OptionFacts<readonly string[]> {
  readonly type: "list";
  readonly default?: readonly string[];
  /** Between items in a flag or a variable. Default: a comma. */
  readonly separator?: string;
}

interface EnumOption extends OptionFacts<string> {
  readonly type: "enum";
  readonly values: readonly string[];
  readonly default?: string;
}

/** A secret has no flag: any user of the machine can read a process's arguments. It may have an `…_FILE` variable. */
interface SecretOption extends StringOption {
  readonly secret: true;
  readonly env: string;
  readonly flag?: never;
  readonly short?: never;
  readonly default?: never;
}

/** One option: its type, where it is read from, and what --help says of it. */
export type OptionSpec =
  | (StringOption & { readonly secret?: false })
  | SecretOption
  | BooleanOption
  | IntegerOption
  | DurationOption
  | ListOption
  | EnumOption;

/** An argument without a flag. Only the last may be a list. */
export type PositionalSpec = OptionSpec & { readonly placeholder: string; readonly flag?: never };

/** A program's options by key, in the order of --help. */
export type OptionTable = { readonly [key: string]: OptionSpec };
/** Its arguments without a flag, in the order in which they are given. */
export type PositionalTable = { readonly [key: string]: PositionalSpec };

type OptionValue<Spec> = Spec extends { readonly type: "boolean" }
  ? boolean
  : Spec extends { readonly type: "integer" | "duration" }
    ? number
    : Spec extends { readonly type: "list" }
      ? readonly string[]
      : Spec extends { readonly type: "enum"; readonly values: readonly (infer Value)[] }
        ? Value
        : string;

type AlwaysThere =
  | { readonly type: "boolean" | "list" }
  | { readonly required: true }
  | { readonly default: string | number };

/** The parsed values of a table. Optional ones without a default may be `undefined`. */
export type OptionsOf<Table> = {
  readonly [Key in keyof Table]: Table[Key] extends AlwaysThere
    ? OptionValue<Table[Key]>
    : OptionValue<Table[Key]> | undefined;
};

/** Declares options. Does nothing but keep their exact types. */
export function defineOptions<const Table extends OptionTable>(table: Table): Table {
  return table;
}

/** Declares arguments without flags, in their order on the command line. */
export function definePositionals<const Table extends PositionalTable>(table: Table): Table {
  return table;
}
