import { type Call, type CallToolResult, FAILURE, type Issue } from "@suite/core";
import { suggest } from "../../domain/errors/suggest.ts";
import { countOf } from "../../domain/text/counts.ts";
import { reveal } from "../../domain/text/reveal.ts";
import { ERROR_META, type ErrorMeta } from "./failures.ts";
import { isObject } from "../../domain/text/json-value.ts";
import { truncate } from "../../domain/text/glimpse.ts";
import type { Aliases } from "./aliases.ts";
import type { ArgumentHints, ToolDefinition } from "./tool.ts";

/** For arguments the core refused, before the tool ran: explains every problem and suggests what was probably meant. */
export function withInvalidInput(
  result: CallToolResult,
  { name, target, arguments: given = {}, params }: Call,
  { argumentHints = {}, aliases = {} }: Pick<ToolDefinition, "argumentHints" | "aliases"> = {},
): CallToolResult {
  const failure = result[FAILURE];
  if (target?.kind !== "tool" || failure?.at !== "input") return result;
  const schema = target.entry.input.inputJson();
  const { unknown, missing } = compareNames(schema, given, []);
  const absent = new Set(missing.map(({ path }) => toPlace(path)));
  const strange = new Set(unknown.map(({ path }) => toPlace(path)));
  const others = failure.issues.filter(
    ({ path }) =>
      !strange.has(toPlace(path)) && !(absent.has(toPlace(path)) && valueAt(given, path) === undefined),
  );
  const advised = missing.filter(
    ({ path }) => path.length === 1 && Object.hasOwn(argumentHints, String(path[0])),
  );
  const hint = explainNames((unknown.length > 0 ? unknown : advised).slice(0, MOST_EXPLAINED), argumentHints);
  const lines = [
    ...(missing.length === 0 ? [] : [`Missing: ${missing.map(({ path }) => toFieldText(path)).join(", ")}.`]),
    ...others
      .slice(0, MOST_EXPLAINED)
      .map((issue) =>
        explainIssue(issue, schema, given, toSpelling(issue.path, params["arguments"], aliases)),
      ),
    ...hint,
  ];
  const shown = lines.length > MOST_LINES ? [...lines.slice(0, MOST_LINES), "There is more."] : lines;
  const text = reveal(`Invalid arguments for ${name}:\n${shown.map((line) => `- ${line}`).join("\n")}`);
  const meta: ErrorMeta = {
    code: "invalid_input",
    retryable: false,
    ...(hint.length > 0 && { hint: reveal(hint.slice(0, MOST_LINES).join(" ")) }),
  };
  return { ...result, content: [{ type: "text", text }], _meta: { [ERROR_META]: meta } };
}

const MOST_LINES = 10;
/** One more than is shown, to know whether there are more. Explaining all would waste time on comparing names. */
const MOST_EXPLAINED = MOST_LINES + 1;
/** No real argument name is longer. */
const LONGEST_NAME = 100;
const LONGEST_VALUE = 80;

interface NamedPlace {
  readonly path: Issue["path"];
  /** The names that the tool accepts at this place. */
  readonly known: readonly string[];
}

interface Names {
  readonly unknown: readonly NamedPlace[];
  readonly missing: readonly NamedPlace[];
}

const NONE: Names = { unknown: [], missing: [] };

/** Every unknown or missing name. In lists, the same mistake in several items is reported once. */
function compareNames(schema: unknown, value: unknown, path: Issue["path"]): Names {
  if (!isObject(schema)) return NONE;
  if (Array.isArray(value)) {
    const all = value.map((item, at) => compareNames(schema["items"], item, [...path, at]));
    return {
      unknown: uniqueByName(all.flatMap(({ unknown }) => unknown)),
      missing: uniqueByName(all.flatMap(({ missing }) => missing)),
    };
  }
  const { properties } = schema;
  if (!isObject(value) || !isObject(properties)) return NONE;
  const known = Object.keys(properties);
  const strange =
    schema["additionalProperties"] === false ? Object.keys(value).filter((key) => !known.includes(key)) : [];
  const required = Array.isArray(schema["required"]) ? (schema["required"] as readonly string[]) : [];
  const absent = required.filter((key) => value[key] === undefined);
  const inner = known.map((key) => compareNames(properties[key], value[key], [...path, key]));
  const toNamed = (key: string): NamedPlace => ({ path: [...path, key], known });
  return {
    unknown: [...strange.map(toNamed), ...inner.flatMap(({ unknown }) => unknown)],
    missing: [...absent.map(toNamed), ...inner.flatMap(({ missing }) => missing)],
  };
}

const uniqueByName = (all: readonly NamedPlace[]): readonly NamedPlace[] =>
  [...new Map(all.toReversed().map((named) => [toPlace(named.path), named])).values()].toReversed();

/** Groups of argument names with the same meaning that models know from other tools. */
const SYNONYMS: readonly (readonly string[])[] = [
  ["path", "file_path", "filepath", "file", "filename", "target_file", "directory", "dir", "folder"],
  ["oldText", "old_text", "old_string", "old_str"],
  ["newText", "new_text", "new_string", "new_str"],
  ["content", "contents", "text", "file_text", "body"],
  ["pattern", "query", "regex", "regexp", "search", "glob"],
  ["query", "sql", "statement"],
  ["start_line", "offset", "from_line", "line_start"],
  ["end_line", "to_line", "line_end"],
  ["limit", "max_results", "head_limit", "page_size", "per_page", "count", "max_count"],
  ["exclude", "excludePatterns", "exclude_patterns", "ignore"],
  ["ignore_case", "case_insensitive", "ignoreCase"],
  ["context", "context_lines", "contextLines"],
  ["max_bytes", "max_length", "max_chars"],
];

function explainNames(places: readonly NamedPlace[], argumentHints: ArgumentHints): readonly string[] {
  const words = places.map(({ path, known }) => {
    const name = String(path.at(-1));
    if (path.length === 1 && Object.hasOwn(argumentHints, name)) return `${name}: ${argumentHints[name]}`;
    const other = SYNONYMS.find((group) => group.includes(name))?.find((synonym) => known.includes(synonym));
    if (other !== undefined) return `${toFieldText(path)}: this tool calls it ${other}.`;
    const near = name.length <= LONGEST_NAME ? suggest(name, known) : undefined;
    return near === undefined
      ? `${toFieldText(path)} is unknown.`
      : `${toFieldText(path)}: did you mean ${near}?`;
  });
  // If nothing similar was found, list the names that exist.
  const lost = places.find((_, at) => words[at]?.endsWith(" is unknown."));
  if (lost === undefined) return words;
  const where = lost.path.length === 1 ? "It takes" : `${toFieldText(lost.path.slice(0, -1))} takes`;
  return [
    ...words,
    lost.known.length === 0 ? `${where} no arguments.` : `${where} ${lost.known.join(", ")}.`,
  ];
}

/** Default messages of validation libraries, to be replaced; messages written by a tool's author are kept. */
const OF_LIBRARIES = /^(?:Invalid [\w ]+: (?:Expected|Received)|expected ) ?/;

/** ` (offset)` if start_line was sent under that alias, so that the caller recognizes its argument. */
function toSpelling(path: Issue["path"], sent: unknown, aliases: Aliases): string {
  const [name = ""] = path;
  if (path.length !== 1 || !isObject(sent) || Object.hasOwn(sent, name)) return "";
  const spelling = aliases[name]?.find((other) => Object.hasOwn(sent, other));
  return spelling === undefined ? "" : ` (${spelling})`;
}

function explainIssue(
  { path, message }: Issue,
  schema: JsonSchema,
  given: unknown,
  spelling: string,
): string {
  const place = path.length === 0 ? "The arguments" : `${toFieldText(path)}${spelling}`;
  const expected = OF_LIBRARIES.test(message) ? describeSchema(schemaAt(schema, path)) : undefined;
  if (expected !== undefined)
    return `${place} must be ${expected}, not ${toShortJson(valueAt(given, path))}.`;
  return /^(?:must|is|has|may|can)\b/.test(message) ? `${place} ${message}` : `${place}: ${message}`;
}

function schemaAt(schema: JsonSchema, path: Issue["path"]): JsonSchema | undefined {
  return path.reduce<JsonSchema | undefined>((at, step) => {
    const inner =
      typeof step === "number" ? at?.["items"] : (propertyOf(at, step) ?? at?.["additionalProperties"]);
    return isObject(inner) ? inner : undefined;
  }, schema);
}

const propertyOf = (schema: JsonSchema | undefined, name: string): unknown => {
  const properties = schema?.["properties"];
  return isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
};

const valueAt = (value: unknown, path: Issue["path"]): unknown =>
  path.reduce<unknown>(
    (at, step) =>
      typeof at === "object" && at !== null ? (at as Record<string | number, unknown>)[step] : undefined,
    value,
  );

function toShortJson(value: unknown): string {
  if (Array.isArray(value)) return `a list of ${countOf(value.length, "item")}`;
  if (isObject(value)) return "an object";
  const json = JSON.stringify(value) ?? "nothing";
  return truncate(json, LONGEST_VALUE);
}

/** A key that is the same for all items of a list. */
const toPlace = (path: Issue["path"]): string =>
  JSON.stringify(path.map((step) => (typeof step === "number" ? 0 : step)));

/** `edits[0].oldText`. */
const toFieldText = (path: Issue["path"]): string =>
  path
    .map((step, at) => (typeof step === "number" ? `[${step}]` : `${at === 0 ? "" : "."}${toName(step)}`))
    .join("");

const toName = (name: string): string => {
  const short = truncate(name, LONGEST_NAME);
  return /^[\w$-]+$/.test(short) ? short : JSON.stringify(short);
};

type JsonSchema = { readonly [keyword: string]: unknown };

/** A short description of a JSON Schema: "a whole number of at least 1". Undefined if it is too complex for that. */
export function describeSchema(schema: JsonSchema | undefined): string | undefined {
  if (schema === undefined) return undefined;
  if (schema["const"] !== undefined) return JSON.stringify(schema["const"]);
  if (Array.isArray(schema["enum"]))
    return joinAlternatives(schema["enum"].map((value) => JSON.stringify(value)));
  const alternatives = schema["anyOf"] ?? schema["oneOf"];
  if (Array.isArray(alternatives)) {
    const words = alternatives.map((one) => (isObject(one) ? describeSchema(one) : undefined));
    return words.every((word) => word !== undefined) ? joinAlternatives(words) : undefined;
  }
  const { type } = schema;
  return typeof type === "string" ? DESCRIPTIONS[type]?.(schema) : undefined;
}

const DESCRIPTIONS: { readonly [type: string]: (schema: JsonSchema) => string } = {
  integer: (schema) => `a whole number${describeRange(schema["minimum"], schema["maximum"])}`,
  number: (schema) => `a number${describeRange(schema["minimum"], schema["maximum"])}`,
  string: describeString,
  boolean: () => "true or false",
  array: describeList,
  object: () => "an object",
  null: () => "null",
};

function describeRange(least: unknown, most: unknown): string {
  if (typeof least === "number" && typeof most === "number") return ` from ${least} to ${most}`;
  if (typeof least === "number") return ` of at least ${least}`;
  return typeof most === "number" ? ` of at most ${most}` : "";
}

function describeLength(least: unknown, most: unknown, noun: string): string {
  const range = describeRange(least, most);
  return range && `${range} ${noun}${(most ?? least) === 1 ? "" : "s"}`;
}

function describeString({ minLength, maxLength, pattern }: JsonSchema): string {
  const length =
    minLength === 1 && maxLength === undefined
      ? " that is not empty"
      : describeLength(minLength, maxLength, "character");
  return `a string${length}${typeof pattern === "string" ? ` that matches /${pattern}/` : ""}`;
}

function describeList({ items, minItems, maxItems }: JsonSchema): string {
  const range = describeLength(minItems, maxItems, "item");
  const item = isObject(items) ? describeSchema(items) : undefined;
  return `a list${range}${item === undefined ? "" : ` (each ${item})`}`;
}

const joinAlternatives = (words: readonly string[]): string =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
