interface OptionFacts<Value> {
  /** For a person: one or two sentences. */
  readonly description: string;
  /** Environment variable. Set but empty is the same as not set. */
  readonly env?: string;
  /** Stands for the value in --help, such as FILE. */
  readonly placeholder?: string;
  /** Heading in --help. */
  readonly group?: string;
  /** The program does not start without a value. */
  readonly required?: boolean;
  /** Key of another option, or keys of some, without any of which this one as a flag would do nothing. */
  readonly needs?: string | readonly string[];
  /** Says what to do in this run, not how to be: no place for it in a configuration file or in --print-config. */
  readonly isCommand?: boolean;
  /** What was expected instead, if the value is no good: "a port from 0 to 65535". */
  readonly check?: (value: Value) => string | undefined;
  /** For what names a file or directory, each item of a list by itself: the same from any working directory. */
  readonly toAbsolute?: (folder: string, text: string) => string;
  readonly flag?: `--${string}`;
  readonly short?: `-${string}`;
  readonly secret?: boolean;
  /** Configuration for a host has a place for this secret even where it is not set, unless one of these other options is. */
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
  /** Between items in a flag or a variable; a comma unless said otherwise. */
  readonly separator?: string;
}

interface EnumOption extends OptionFacts<string> {
  readonly type: "enum";
  readonly values: readonly string[];
  readonly default?: string;
}

/** Everybody on the machine can read the arguments of a process, so a secret has no flag (it may have an `…_FILE` variable). */
interface SecretOption extends StringOption {
  readonly secret: true;
  readonly env: string;
  readonly flag?: never;
  readonly short?: never;
  readonly default?: never;
}

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

export type OptionTable = { readonly [key: string]: OptionSpec };
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

/** The values that a table stands for. Options that may be missing are `undefined` then. */
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
