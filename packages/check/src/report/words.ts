import type { Check } from "../checks/visit.ts";
import { addressOf, type Level, ruleOf } from "../rules/rules.ts";
import type { MetFinding } from "../visits/check-server.ts";
import { tokensOf } from "../checks/tools.ts";
import { count, countOf, type Judged } from "./formats.ts";
import { renderServer } from "./tables.ts";

const SIGNS: Readonly<Record<Level, string>> = { error: "✗", warning: "!", note: "·" };
const MOST_CHARACTERS = 200;
const LEGEND = "✓ nothing wrong, ✗ something is, – is not offered";

/** One line: it may hold anything, and is read at a terminal. */
const toLine = (text: string): string =>
  text.slice(0, MOST_CHARACTERS).replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, "\uFFFD") +
  (text.length > MOST_CHARACTERS ? " …" : "");

/** As many revisions, one after the other, as two words can tell. */
function toSpan(revisions: readonly string[]): string {
  const [first = "", last = ""] = [revisions[0], revisions.at(-1)];
  return first === last ? first : `${first} to ${last}`;
}

/** All findings of a rule: what was found, then once what the rule is and what mends it. */
function describe(rule: string, findings: readonly MetFinding[]): string {
  const { level, says, mend } = ruleOf(rule);
  const address = addressOf(ruleOf(rule));
  return [
    ...findings.flatMap(({ words, revisions, example }) => [
      `${SIGNS[level]} ${level} ${rule}: ${toLine(words)} (${toSpan(revisions)})`,
      ...(example === undefined ? [] : [`    seen: ${toLine(example)}`]),
    ]),
    `    rule: ${says}${address === undefined ? "" : ` ${address}`}`,
    `    mend: ${mend}`,
  ].join("\n");
}

function describeSpeed({ speed, outcomes }: Judged): readonly string[] {
  if (!speed) return [];
  const { first, floor, list } = speed;
  const ms = (time: number): string => `${time < 10 ? time.toFixed(1) : Math.round(time)} ms`;
  const beside = floor === undefined ? "" : ` (a bare script: ${ms(floor)})`;
  const tools = outcomes.findLast(({ tools: all }) => all.length > 0)?.tools ?? [];
  const named = tools.length === 1 ? "1 tool costs" : `${tools.length} tools cost`;
  const cost = tools.length > 0 ? `; ${named} a model about ${tokensOf(tools)} tokens` : "";
  return [`The first answer took ${ms(first)}${beside}, the list of tools ${ms(list)}${cost}.`];
}

/** For people: what, where, how to mend, the worst first. */
export function toWords(judged: Judged, checks: readonly Check[]): string {
  const { server, target, failure, outcomes, findings, known, skipped } = judged;
  // What a program printed may hold what terminals act on.
  if (failure !== undefined) {
    const hint = /^HTTP 40[13]\b/.test(failure)
      ? "\nIf it wants a token: --header 'Authorization: Bearer …'"
      : "";
    return `${target} could not be checked: ${failure.replace(/[^\P{Cc}\n]/gu, "\uFFFD")}${hint}\n`;
  }
  const levels = Object.keys(SIGNS) as Level[];
  const counts = [
    levels.map((level) => count(countOf(judged, level), level)).join(", "),
    ...(known.length > 0 ? [`${known.length} known`] : []),
  ];
  const rules = [...new Set(findings.map(({ rule }) => rule))];
  return `${[
    `\n${toLine(server)} (${target})`,
    ...rules.map((rule) =>
      describe(
        rule,
        findings.filter((finding) => finding.rule === rule),
      ),
    ),
    `${renderServer(outcomes, checks)}\n\n${LEGEND}`,
    ...describeSpeed(judged),
    ...[...skipped].map(([name, reason]) => `Skipped: ${name} (${reason})`),
    counts.join("; "),
  ].join("\n\n")}\n`;
}
