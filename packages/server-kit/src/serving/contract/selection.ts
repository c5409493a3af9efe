import { toSuggestion } from "../../domain/errors/suggest.ts";
import { type Origin, reasonOf } from "../options/origin.ts";
import { type Problem, toExitError } from "../options/problem.ts";
import type { ContractSettings } from "./settings.ts";
import type { ToolDefinition } from "./tool.ts";

/** The facts that decide whether a tool is offered. */
export type SelectableTool = Pick<
  ToolDefinition<never>,
  "name" | "alsoKnownAs" | "group" | "effects" | "openWorld"
>;

export interface Selection<T extends SelectableTool> {
  readonly offered: readonly T[];
  /** Why a tool is not offered, or not any more; as the end of a sentence. */
  readonly whyWithheld: (name: string) => string | undefined;
  /** Current names of withheld tools, by their former names. */
  readonly renamed: ReadonlyMap<string, string>;
}

/** The operator's settings for tools. */
type Choice = Pick<ContractSettings, "readOnly" | "tools" | "excludeTools" | "origins">;

/** Why a tool cannot work with the server's options; undefined if it can. */
export type WhyUnavailable = (tool: SelectableTool) => string | undefined;

/** Applies the operator's settings to the tools. */
export function selectTools<T extends SelectableTool>(
  tools: readonly T[],
  choice: Choice,
  whyUnavailable: WhyUnavailable = () => undefined,
): Selection<T> {
  const { readOnly, tools: only, excludeTools } = choice;
  checkNames(choice, tools);
  const known = new Map(tools.map((tool) => [tool.name, tool]));
  const offered = tools.filter((tool) => reasonAgainst(tool) === undefined);
  const gone = tools.filter((tool) => !offered.includes(tool));
  const renamed = new Map(
    gone.flatMap(({ name, alsoKnownAs = [] }) => alsoKnownAs.map((one) => [one, name])),
  );
  const whyWithheld = (name: string): string | undefined => {
    const tool = known.get(name);
    return tool && reasonAgainst(tool);
  };
  return { offered, whyWithheld, renamed };

  function reasonAgainst(tool: SelectableTool): string | undefined {
    if (readOnly && tool.effects !== "read") return " (this server was started with --read-only)";
    if (only.length > 0 && !isNamed(tool, only))
      return " (this server was started with --tools and without it)";
    if (isNamed(tool, excludeTools)) return " (this server was started with --exclude-tools)";
    const reason = whyUnavailable(tool);
    return reason === undefined ? undefined : ` (${reason})`;
  }
}

const isNamed = ({ name, group }: SelectableTool, names: readonly string[]): boolean =>
  names.includes(name) || (group !== undefined && names.includes(group));

/** Refuses unknown names: a typo would hide or offer other tools than the operator meant. */
function checkNames({ tools: only, excludeTools, origins }: Choice, tools: readonly SelectableTool[]): void {
  const known = new Set(tools.flatMap(({ name, group }) => (group === undefined ? [name] : [name, group])));
  const toProblems = (names: readonly string[], origin: Origin | undefined): readonly Problem[] =>
    names
      .filter((name) => !known.has(name))
      .map((name) => ({
        reason: reasonOf(origin),
        message: `there is no tool or group ${JSON.stringify(name)}${toSuggestion(name, known)}`,
      }));
  const problems = [...toProblems(only, origins.tools), ...toProblems(excludeTools, origins.excludeTools)];
  if (problems.length > 0) throw toExitError(problems, { hint: `Choose from: ${[...known].join(", ")}.` });
}
