import { invalidParams, shorten } from "../jsonrpc/error.ts";
import { isObject, type Params } from "../jsonrpc/message.ts";
import type { CompleteResult } from "../model/entities.ts";
import { isList } from "../values/is-list.ts";
import type { Catalog } from "./catalog.ts";
import type { Completer, Completions } from "./completer.ts";
import type { Context } from "./context.ts";

const MOST_VALUES = 100;

export async function complete(catalog: Catalog, params: Params, context: Context): Promise<CompleteResult> {
  const { name, value } = readArgument(params);
  const completer = findCompleter(catalog, params["ref"], name);
  if (completer === undefined) return { completion: { values: [], total: 0, hasMore: false } };
  const input = { value, arguments: readKnownArguments(params) };
  const found =
    typeof completer === "function" ? await completer(input, context as Context<never>) : completer;
  return { completion: toPage(isList(found) ? rankedOf(found, value) : found) };
}

type FinishedCompletions = Exclude<Completions, readonly string[]>;

function rankedOf(candidates: readonly string[], value: string): FinishedCompletions {
  const values = rank(candidates, value);
  return { values, total: values.length };
}

function toPage({ values, total, hasMore }: FinishedCompletions): CompleteResult["completion"] {
  return {
    values: values.slice(0, MOST_VALUES),
    ...(total !== undefined && { total }),
    hasMore: hasMore ?? (values.length > MOST_VALUES || (total !== undefined && total > values.length)),
  };
}

/** Exact matches first, then prefixes, prefixes ignoring case, substrings, and subsequences. */
export function rank(candidates: readonly string[], value: string): string[] {
  const wanted = value.toLowerCase();
  const scored = Array.from(new Set(candidates), (candidate) => ({
    candidate,
    score: scoreOf(candidate, value, wanted),
  }));
  return scored
    .filter(({ score }) => score < NO_MATCH)
    .toSorted((a, b) => a.score - b.score)
    .map(({ candidate }) => candidate);
}

const NO_MATCH = 5;

function scoreOf(candidate: string, value: string, wanted: string): number {
  if (candidate === value) return 0;
  if (candidate.startsWith(value)) return 1;
  const lower = candidate.toLowerCase();
  if (lower.startsWith(wanted)) return 2;
  if (lower.includes(wanted)) return 3;
  return isSubsequence(wanted, lower) ? 4 : NO_MATCH;
}

function isSubsequence(letters: string, text: string): boolean {
  let at = 0;
  for (const letter of letters) {
    at = text.indexOf(letter, at) + 1;
    if (at === 0) return false;
  }
  return true;
}

function readArgument(params: Params): { name: string; value: string } {
  const { argument } = params;
  if (isObject(argument)) {
    const { name, value } = argument;
    if (typeof name === "string" && typeof value === "string") return { name, value };
  }
  throw invalidParams("argument must have a name and a value, both strings");
}

function readKnownArguments(params: Params): Readonly<Record<string, string>> {
  const context = params["context"] ?? {};
  const known = isObject(context) ? (context["arguments"] ?? {}) : undefined;
  if (isObject(known) && Object.values(known).every((value) => typeof value === "string")) {
    return known as Record<string, string>;
  }
  throw invalidParams("context.arguments must be an object of strings");
}

function findCompleter(catalog: Catalog, ref: unknown, argument: string): Completer<never> | undefined {
  const reference = isObject(ref) ? ref : {};
  const { type, name, uri } = reference;
  if (type === "ref/prompt" && typeof name === "string") {
    const prompt = catalog.prompts?.get(name)?.definition;
    if (!prompt) throw invalidParams(`Unknown prompt: ${shorten(name)}`);
    return argumentIn(prompt.arguments ?? {}, argument).complete;
  }
  if (type === "ref/resource" && typeof uri === "string") {
    const entry = catalog.templates?.get(uri);
    // A reference may be a plain URI too, which leaves nothing to fill in (completion#reference-types).
    if (!entry && catalog.resources?.get(uri)) return undefined;
    if (!entry) throw invalidParams(`Unknown resource template: ${shorten(uri)}`);
    if (!entry.template.variables.includes(argument)) {
      throw invalidParams(`Unknown variable: ${shorten(argument)}`);
    }
    const completers = entry.definition.complete ?? {};
    return Object.hasOwn(completers, argument) ? completers[argument] : undefined;
  }
  throw invalidParams('ref must be { type: "ref/prompt", name } or { type: "ref/resource", uri }');
}

function argumentIn<T>(members: Readonly<Record<string, T>>, name: string): T {
  const member = Object.hasOwn(members, name) ? members[name] : undefined;
  if (member === undefined) throw invalidParams(`Unknown argument: ${shorten(name)}`);
  return member;
}
