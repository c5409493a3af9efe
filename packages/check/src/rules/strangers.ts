import type { Fields, Message } from "../wires/message.ts";
import type { Revision } from "../wires/revisions.ts";
import { type Official, officialOf, type Part } from "./official.ts";

/** Members with anything in them, whatever the schema shows of it. */
const OPEN = new Set(["_meta", "inputSchema", "outputSchema", "requestedSchema"]);

/** Of 2026-07-28. Hosts declare and look for them in the revision before, too. */
const EARLY = "initialize.capabilities.extensions in 2025-11-25";

/** What in a message of the server the official schema of the revision does not have, as paths; `answered` is the method it responds to. */
export function strangersIn(message: Message, revision: Revision, answered: string | undefined): string[] {
  const official = officialOf(revision);
  const { method, params, result } = message;
  const find = (kind: string, value: unknown, path: string): string[] =>
    strangersTo([official.part(kind)], value, path, official).filter(
      (stranger) => `${stranger} in ${revision}` !== EARLY,
    );
  if (method !== undefined) {
    const kind = official.kindOf(method);
    return kind === undefined ? [method] : find(kind, { params }, method);
  }
  if (result === undefined || answered === undefined) return [];
  const kind = official.resultOf(answered);
  const isAsking = result["resultType"] === "input_required";
  return kind === undefined ? [] : find(isAsking ? "InputRequiredResult" : kind, result, answered);
}

/** What the value may be: every branch of a choice. */
const branchesOf = (part: Part, official: Official): readonly Part[] => {
  const { anyOf, ...followed } = official.follow(part);
  return anyOf?.flatMap((branch) => branchesOf(branch, official)) ?? [followed];
};

function strangersTo(parts: readonly Part[], value: unknown, path: string, official: Official): string[] {
  const branches = parts.flatMap((part) => branchesOf(part, official));
  const inner = (some: readonly (Part | boolean | undefined)[], one: unknown, at: string): string[] =>
    strangersTo(
      some.filter((part) => typeof part === "object"),
      one,
      at,
      official,
    );
  if (Array.isArray(value))
    return value.flatMap((item) =>
      inner(
        branches.map(({ items }) => items),
        item,
        path,
      ),
    );
  if (typeof value !== "object" || value === null) return [];
  const given = value as Fields;
  const objects = branches.filter(({ properties = {} }) => Object.keys(properties).length > 0);
  if (objects.length === 0)
    return Object.entries(given).flatMap(([name, one]) =>
      inner(
        branches.map(({ additionalProperties }) => additionalProperties),
        one,
        `${path}.${name}`,
      ),
    );
  // Content is told apart by its type, and a question by its method.
  const fitting = objects.filter(({ properties = {} }) =>
    Object.entries(properties).every(
      ([name, part]) => part.const === undefined || !(name in given) || part.const === given[name],
    ),
  );
  if (fitting.length === 0) return [`${path} of type ${String(given["type"] ?? given["method"])}`];
  return Object.entries(given).flatMap(([name, one]) => {
    const members = fitting.flatMap(({ properties = {} }) =>
      Object.hasOwn(properties, name) ? [properties[name]] : [],
    );
    const at = name === "params" ? path : `${path}.${name}`;
    if (members.length === 0) return [at];
    return OPEN.has(name) ? [] : inner(members, one, at);
  });
}
