import type { ToolDefinition } from "@suite/server-kit";
import { Fault } from "@suite/server-kit/domain";
import * as v from "valibot";

import type { Repo } from "../domain/gateway/repositories.ts";
import { type Fields, toFields, toText } from "../domain/answers/projection.ts";

/** Schemas that depend on the options: with a single repository, owner and repo are optional. */
export interface Shape {
  readonly repo: { readonly owner: v.GenericSchema<string>; readonly repo: v.GenericSchema<string> };
  readonly optionalRepo: { readonly owner: Optional<string>; readonly repo: Optional<string> };
}

type Optional<T> = v.OptionalSchema<v.GenericSchema<T>, undefined>;

export function createShape(single: Repo | undefined): Shape {
  const entries = { owner: v.string(), repo: v.string() };
  const optional = { owner: v.optional(v.string()), repo: v.optional(v.string()) };
  // Naming the single repository is allowed: `repoOf` checks it.
  return {
    repo: single === undefined ? entries : (optional as unknown as Shape["repo"]),
    optionalRepo: optional,
  };
}

type Standard = Extract<ToolDefinition["input"], { readonly "~standard": { readonly version: 1 } }>;

/** Lists other arguments than the tool accepts, to save the model tokens. */
export function relist<T extends ToolDefinition<never>>(tool: T, toListed: (all: Fields) => Fields): T {
  if (!("~standard" in tool.input)) return tool;
  const standard = (tool.input as Standard)["~standard"];
  const input = (options: { readonly target: string }): Record<string, unknown> => {
    const json = standard.jsonSchema.input(options);
    return { ...json, properties: toListed(toFields(json["properties"])) };
  };
  return { ...tool, input: { "~standard": { ...standard, jsonSchema: { ...standard.jsonSchema, input } } } };
}

/** For a single repository, or if the query can name it. */
export const withoutPlace = <T extends ToolDefinition<never>>(tool: T): T =>
  relist(tool, ({ owner: _owner, repo: _repo, ...others }) => others);

/**
 * No model asks for page 0, a file without a name or no edits, and the instructions say how long a page may be: so these
 * limits are held, but not listed. They would cost 150 tokens.
 */
export const withoutLimits = <T extends ToolDefinition<never>>(tool: T): T =>
  relist(tool, (all) => mapFields(all, unlimited));

const mapFields = (fields: Fields, change: (value: unknown) => unknown): Fields =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, change(value)]));

function unlimited(schema: unknown): unknown {
  const { minimum, minLength, minItems, maximum, properties, items, ...rest } = toFields(schema);
  return {
    ...rest,
    ...(Number(minimum) > 1 && { minimum }),
    ...(Number(minLength) > 1 && { minLength }),
    ...(Number(minItems) > 1 && { minItems }),
    ...(maximum !== undefined && maximum !== MOST_AT_ONCE && { maximum }),
    ...(properties !== undefined && { properties: mapFields(toFields(properties), unlimited) }),
    ...(items !== undefined && { items: unlimited(items) }),
  };
}

const toBranchName = (given: unknown): unknown =>
  typeof given === "string" ? given.replace(/^refs\/heads\//, "") : given;

/** Names of labels, people and fields contain no commas. */
const toNameList = (given: unknown): unknown =>
  Array.isArray(given) && given.every((each) => typeof each === "string")
    ? given.flatMap((each) => each.split(",").map((name) => name.trim()))
    : given;

const OWN_FORMS = {
  branch: toBranchName,
  from_branch: toBranchName,
  labels: toNameList,
  assignees: toNameList,
  reviewers: toNameList,
  fields: toNameList,
};

/** Takes octo/app for `repo`, refs/heads/main for a branch, and "bug,ui" for two labels. */
export function normalize(given: Params): Params {
  const known = Object.entries(OWN_FORMS).filter(([name]) => name in given);
  const named = known.map(([name, toOwn]) => [name, toOwn(given[name])] as const);
  return splitFullName({ ...given, ...Object.fromEntries(named) });
}

function splitFullName(given: Params): Params {
  const { owner: named, repo: full } = given;
  const [owner = "", repo, ...rest] = toText(full).split("/");
  const isSame = named === undefined || toText(named).toLowerCase() === owner.toLowerCase();
  return repo !== undefined && rest.length === 0 && isSame ? { ...given, owner, repo } : given;
}

type Params = Parameters<NonNullable<ToolDefinition["normalize"]>>[0];

export const Num: v.GenericSchema<number> = v.pipe(v.number(), v.integer(), v.minValue(1));
export const OptionalNum: Optional<number> = v.optional(Num);
export const NonEmpty: v.GenericSchema<string> = v.pipe(v.string(), v.minLength(1));
export const Text: Optional<string> = v.optional(v.string());
export const Flag: Optional<boolean> = v.optional(v.boolean());
export const Texts: Optional<string[]> = v.optional(v.array(v.string()));

/** The names in a table, for a picklist. */
export const keysOf = <T extends object>(table: T): [keyof T & string, ...(keyof T & string)[]] =>
  Object.keys(table) as [keyof T & string, ...(keyof T & string)[]];

/** Adds fields that are seldom needed. */
export const Detail: v.OptionalSchema<v.PicklistSchema<["full"], undefined>, undefined> = v.optional(
  v.picklist(["full"]),
);

export const Encoding: v.OptionalSchema<v.PicklistSchema<["base64"], undefined>, undefined> = v.optional(
  v.picklist(["base64"]),
);

/** GitHub gives no more at once. */
const MOST_AT_ONCE = 100;

/** Arguments of every tool that lists. */
export const page: { readonly limit: Optional<number>; readonly cursor: Optional<string> } = {
  limit: v.optional(v.pipe(Num, v.maxValue(MOST_AT_ONCE))),
  cursor: Text,
};

export const PAGE_ALIASES = { limit: ["perPage", "per_page"] };
export const ISSUE_ALIASES = { issue_number: ["number"] };
export const PULL_ALIASES = { pull_number: ["number"] };

const TIME = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$/i;

/** GitHub silently finds nothing if it cannot parse a time. Without a zone, it is UTC. */
export function toTime(name: string, given: string | undefined): string | undefined {
  if (given === undefined) return undefined;
  const [date = "", time, , , zone] = TIME.exec(given) ?? [];
  const at = Date.parse(time !== undefined && zone === undefined ? `${date}Z` : date);
  if (!Number.isNaN(at)) return new Date(at).toISOString().replace(".000Z", "Z");
  throw new Fault("invalid_input", `${name} is not a date: ${JSON.stringify(given.slice(0, 100))}`, {
    hint: "Give it as 2026-01-31, or with a time as 2026-01-31T12:00:00Z.",
  });
}

export const Item: v.GenericSchema<Record<string, unknown>> = v.record(v.string(), v.any());

/** The result of a reading tool: one item, a list of items, or text. */
export const readOutput: v.GenericSchema<ReadOutput> = v.object({
  item: v.exactOptional(Item),
  items: v.exactOptional(v.array(Item)),
  total: v.exactOptional(v.number()),
  more_than: v.exactOptional(v.number()),
  text: v.exactOptional(v.string()),
  hidden: v.exactOptional(v.number()),
  truncated: v.exactOptional(v.boolean()),
  next_cursor: v.exactOptional(v.string()),
});

export interface ReadOutput {
  item?: Record<string, unknown>;
  items?: Record<string, unknown>[];
  total?: number;
  /** A lower bound of the total, where GitHub does not tell it. */
  more_than?: number;
  text?: string;
  hidden?: number;
  truncated?: boolean;
  next_cursor?: string;
  /** What single sign-on kept back; for the note only. */
  sso?: string;
}
