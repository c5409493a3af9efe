import { type GivenOption, type ParsedArguments, readArguments } from "./arguments.ts";
import type { FileSettings } from "./files.ts";
import type { OptionSpec, OptionsOf, OptionTable, PositionalTable } from "./option.ts";
import { type Origin, reasonOf } from "./origin.ts";
import type { Problem } from "./problem.ts";
import { toShown } from "./to-shown.ts";
import { type ParsedValue, readItems, readJson, readText, splitList } from "./value-types.ts";

export type Environment = { readonly [name: string]: string | undefined };

export interface Resolution<Table> {
  readonly options: OptionsOf<Table>;
  readonly origins: { readonly [Key in keyof Table]: Origin };
  /** If there are any, the options must not be used. */
  readonly problems: readonly Problem[];
}

interface Sources {
  readonly table: OptionTable;
  readonly positionals: PositionalTable;
  readonly argv: readonly string[];
  readonly env: Environment;
}

interface Candidate {
  readonly parsed: ParsedValue;
  readonly origin: Origin;
  /** The value as shown in an error message. */
  readonly shown: string;
}

const DEFAULT: Origin = { kind: "default" };
const EMPTY_DEFAULTS: { readonly [type: string]: unknown } = { boolean: false, list: Object.freeze([]) };

/** Determines the value of each option. Precedence: flags, environment, configuration file, defaults. */
export async function resolveOptions(sources: Sources): Promise<Resolution<OptionTable>> {
  const { table, positionals, env } = sources;
  const all: OptionTable = { ...table, ...positionals };
  const args: ParsedArguments = readArguments(sources.argv, table, positionals);
  const problems: Problem[] = [...args.problems];
  const fileEntry =
    all["config"] &&
    (fromArguments(args.given.get("config"), all["config"]) ?? fromEnvironment(env, all["config"]));
  const file = fileEntry && (await readSettings(fileEntry, all, problems));
  const options: Record<string, unknown> = {};
  const origins: Record<string, Origin> = {};
  for (const [key, spec] of Object.entries(all)) {
    const found =
      fromArguments(args.given.get(key), spec) ??
      fromEnvironment(env, spec) ??
      (spec.secret ? await fromSecretFile(env, spec, problems) : undefined) ??
      fromFile(file, key, spec);
    problems.push(...findOverruled(env, spec, found));
    options[key] = found ? valueOf(found, spec, key, problems) : (spec.default ?? EMPTY_DEFAULTS[spec.type]);
    origins[key] = found?.origin ?? DEFAULT;
    if (!found && spec.required && args.problems.length === 0) problems.push(toMissing(spec, key));
  }
  problems.push(...findIdleFlags(all, options, origins));
  return {
    options: Object.freeze(options) as OptionsOf<OptionTable>,
    origins: Object.freeze(origins),
    problems,
  };
}

function fromArguments(given: GivenOption | undefined, spec: OptionSpec): Candidate | undefined {
  if (!given) return undefined;
  const { name, texts, isPositional } = given;
  const origin: Origin = { kind: isPositional ? "argument" : "flag", name };
  const text = texts.join(" ");
  const shown = toShown(text);
  if (spec.type !== "list") return { parsed: readText(text, spec), origin, shown };
  const items = isPositional ? texts : texts.flatMap((one) => splitList(one, spec));
  return { parsed: readItems(items, spec), origin, shown };
}

function fromEnvironment(env: Environment, spec: OptionSpec): Candidate | undefined {
  const name = [spec.env, spec.alsoEnv].find((each) => each !== undefined && (env[each] ?? "") !== "");
  if (name === undefined) return undefined;
  const text = env[name] ?? "";
  return {
    parsed: readText(text, spec),
    origin: { kind: "environment", name },
    shown: toShown(text),
  };
}

/** Another program's variable, which somebody may rely on as a limit, is not overruled without a word. */
function* findOverruled(env: Environment, spec: OptionSpec, found: Candidate | undefined): Iterable<Problem> {
  const { alsoEnv } = spec;
  const text = alsoEnv === undefined ? "" : (env[alsoEnv] ?? "");
  if (text === "" || !found || found.origin.name === alsoEnv) return;
  if (JSON.stringify(readText(text, spec)) === JSON.stringify(found.parsed)) return;
  const message = `${alsoEnv} and ${found.origin.name} say different things: unset one of them`;
  yield { reason: "configuration", message };
}

/** `…_FILE` names a file with the secret in it, as container platforms mount them. */
async function fromSecretFile(
  env: Environment,
  spec: OptionSpec,
  problems: Problem[],
): Promise<Candidate | undefined> {
  const name = `${spec.env}_FILE`;
  const path = env[name];
  if (path === undefined || path === "") return undefined;
  const { readSecretFile } = await import("./files.ts");
  const secret = readSecretFile(path);
  if ("problem" in secret) {
    problems.push({ reason: "configuration", message: `${name}: ${secret.problem}` });
    return undefined;
  }
  return { parsed: readText(secret.text, spec), origin: { kind: "environment", name }, shown: "" };
}

async function readSettings(
  { parsed, origin }: Candidate,
  all: OptionTable,
  problems: Problem[],
): Promise<FileSettings | undefined> {
  if (!("value" in parsed)) return undefined;
  const { readConfigFile } = await import("./files.ts");
  const read = readConfigFile(String(parsed.value), all);
  problems.push(
    ...read.problems.map(
      (message) => ({ reason: "configuration", message: `${origin.name} ${message}` }) as const,
    ),
  );
  return read;
}

function fromFile(file: FileSettings | undefined, key: string, spec: OptionSpec): Candidate | undefined {
  if (!file || spec.isCommand || !Object.hasOwn(file.settings, key)) return undefined;
  const value = file.settings[key];
  return {
    parsed: readJson(value, spec),
    origin: { kind: "file", name: file.path },
    shown: toShown(value),
  };
}

function valueOf(
  { parsed, origin, shown }: Candidate,
  spec: OptionSpec,
  key: string,
  problems: Problem[],
): unknown {
  if ("value" in parsed) return parsed.value;
  const where = origin.kind === "file" ? `${key} in ${origin.name}` : String(origin.name);
  const got = spec.secret ? "" : `, got ${shown}`;
  problems.push({ reason: reasonOf(origin), message: `${where}: expected ${parsed.expected}${got}` });
  return undefined;
}

function toMissing(spec: OptionSpec, key: string): Problem {
  const name = spec.flag ?? spec.placeholder;
  return name === undefined || spec.secret
    ? { reason: "configuration", message: `${spec.env ?? key} is required but not set` }
    : { reason: "usage", message: `${name} is required but missing` };
}

/** A flag without effect is probably a mistake; variables and files may be shared by several programs, so they are ignored. */
function* findIdleFlags(
  all: OptionTable,
  options: Readonly<Record<string, unknown>>,
  origins: Readonly<Record<string, Origin>>,
): Iterable<Problem> {
  for (const [key, spec] of Object.entries(all)) {
    const origin = origins[key] ?? DEFAULT;
    if (spec.needs === undefined || origin.kind !== "flag" || options[key] === false) continue;
    const needed = [spec.needs].flat();
    if (needed.some((name) => options[name] !== undefined && options[name] !== false)) continue;
    const flags = needed.map((name) => all[name]?.flag ?? name).join(" or ");
    yield { reason: "usage", message: `${origin.name} does nothing without ${flags}` };
  }
}
