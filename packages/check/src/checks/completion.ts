import { parseUriTemplate } from "@suite/core/client";

import type { Fields } from "../wires/message.ts";
import { listOf } from "./lists.ts";
import { type Check, type Visit } from "./visit.ts";

const MOST_VALUES = 100;

export interface ListedPrompt {
  readonly name: string;
  readonly arguments?: readonly { readonly name: string; readonly required?: boolean }[];
}

/** The values for an argument, or why there are none. */
async function complete(
  { wire, revision }: Visit,
  ref: Fields,
  name: string,
  known: Fields,
): Promise<readonly string[] | string> {
  // Older revisions have no place for what is known already.
  const context = revision >= "2025-06-18" &&
    Object.keys(known).length > 0 && { context: { arguments: known } };
  const { result, error } = await wire.request("completion/complete", {
    ref,
    argument: { name, value: "" },
    ...context,
  });
  const values = (result?.["completion"] as Fields | undefined)?.["values"];
  return Array.isArray(values) ? (values as string[]) : (error?.message ?? "no values");
}

/** What the server suggests; nothing where it suggests nothing at all. */
export async function suggest(
  visit: Visit,
  ref: Fields,
  name: string,
  known: Fields = {},
): Promise<readonly string[]> {
  if (visit.capabilities["completions"] === undefined) return [];
  const values = await complete(visit, ref, name, known);
  return typeof values === "string" ? [] : values;
}

function variablesOf(uriTemplate: unknown): readonly string[] {
  try {
    return parseUriTemplate(String(uriTemplate)).variables;
  } catch {
    // The check of templates has found it.
    return [];
  }
}

async function placesIn(visit: Visit): Promise<readonly { ref: Fields; name: string }[]> {
  const { capabilities } = visit;
  const prompts =
    capabilities["prompts"] === undefined ? [] : await listOf<ListedPrompt>(visit, "prompts/list");
  const templates =
    capabilities["resources"] === undefined ? [] : await listOf(visit, "resources/templates/list");
  return [
    ...prompts.flatMap(({ name, arguments: parameters = [] }) =>
      parameters.map((one) => ({ ref: { type: "ref/prompt", name }, name: one.name })),
    ),
    ...templates.flatMap(({ uriTemplate: uri }) =>
      variablesOf(uri).map((name) => ({ ref: { type: "ref/resource", uri }, name })),
    ),
  ];
}

export const completion: Check = {
  name: "completion",
  async run(visit, note) {
    // The first revision has it, and no capability that says so.
    if (
      visit.revision === "2024-11-05"
        ? !visit.known?.prompts
        : visit.capabilities["completions"] === undefined
    )
      return "absent";
    const places = await placesIn(visit);
    for (const { ref, name } of places) {
      const values = await complete(visit, ref, name, {});
      const where = `${name} of ${JSON.stringify(ref)}`;
      if (typeof values === "string")
        note("completion/answered", `${where} is not completed: ${values.slice(0, 200)}`);
      else if (values.length > MOST_VALUES)
        note("completion/at-most-100-values", `${where} has ${values.length} suggestions at once`);
    }
    return places.length === 0 ? "absent" : undefined;
  },
};
