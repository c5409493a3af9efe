import { toSuggestion } from "../errors/suggest.ts";
import { type Origin, reasonOf } from "../options/origin.ts";
import { type Problem, toExitError } from "../options/problem.ts";
import type { ContractSettings } from "./settings.ts";
import type { ToolDefinition } from "./tool.ts";

/** What deciding about a tool takes. */
export type SelectableTool = Pick<
  ToolDefinition<never>,
  "name" | "formerly" | "group" | "effects" | "openWorld"
>;

export interface Selection<T extends SelectableTool> {
  readonly offered: readonly T[];
  /** Why a tool is not there, by its name, as the end of a sentence. */
  readonly withheld: ReadonlyMap<string, string>;
  /** What those are called now, by the names they had before. */
  readonly renamed: ReadonlyMap<string, string>;
}

/** What an operator can say about tools. */
type Choice = Pick<ContractSettings, "readOnly" | "tools" | "excludeTools" | "origins">;

/** Why a tool would be of no use as the server was started; undefined if it is of use. */
export type WhyUnavailable = (tool: SelectableTool) => string | undefined;

/** What is left of the tools when the operator has had a say. */
export function selectTools<T extends SelectableTool>(
  tools: readonly T[],
  choice: Choice,
  whyUnavailable: WhyUnavailable = () => undefined,
): Selection<T> {
  const { readOnly, tools: only, excludeTools } = choice;
  checkNames(choice, tools);
  const offered: T[] = [];
  const withheld = new Map<string, string>();
  for (const tool of tools) {
    const reason = reasonAgainst(tool);
    if (reason === undefined) offered.push(tool);
    else withheld.set(tool.name, reason);
  }
  const gone = tools.filter(({ name }) => withheld.has(name));
  const renamed = new Map(gone.flatMap(({ name, formerly = [] }) => formerly.map((one) => [one, name])));
  return { offered, withheld, renamed };

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

/** A name that stands for nothing would hide, or leave open, what the operator had in mind. */
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
