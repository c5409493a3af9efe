import { checkServer, CHECKS, RULES } from "@suite/check";
import { expect, it } from "vitest";

import { node } from "../support/servers.ts";
import { inSoak } from "../support/soak.ts";

const [NODE = "", PROGRAM = ""] = node("e2e/dist/fixtures/flawed.js");

/** Each flaw of the fixture, and the rules that it breaks: nothing else may be found. */
const FLAWS: readonly (readonly [flaw: string, ...rules: string[]])[] = [
  ["none"],
  ["ids become strings", "base/response-echoes-id"],
  ["no jsonrpc", "base/jsonrpc-member"],
  ["result and error", "base/response-result-xor-error"],
  ["an error without a code", "base/error-code-and-message"],
  ["an error of several lines", "base/error-message-concise"],
  ["two answers", "base/response-echoes-id"],
  ["a notification with an id", "base/notification-without-id"],
  ["an id for two questions", "base/own-request-ids"],
  ["unknown methods answered", "base/unknown-method"],
  ["another code for unknown methods", "base/unknown-method"],
  ["ping with words", "ping/answered", "lifecycle/respects-negotiated-version"],
  ["structured result of another shape", "tools/structured-content-conforms"],
  ["no structured result", "tools/structured-content-conforms"],
  ["structured result alone", "tools/structured-content-as-text"],
  ["content of an unknown kind", "schema/messages", "lifecycle/respects-negotiated-version"],
  ["no description", "agents/description"],
  ["a reader that writes", "agents/reads-only"],
  ["a reader that destroys", "agents/annotations"],
  ["a reader with a writer's name", "agents/annotations"],
  ["a greeting", "stdio/stdout-only-messages"],
  ["a list of novels", "agents/list-size"],
  ["a log that is not declared", "lifecycle/only-negotiated-capabilities"],
  ["prompts that are not declared", "lifecycle/only-negotiated-capabilities"],
  ["a name twice", "tools/name-unique"],
  ["cursors in a circle", "pagination/ends"],
  ["any cursor", "pagination/invalid-cursor"],
  ["another list each time", "tools/deterministic-order"],
  ["unknown tools as results", "tools/unknown-tool-is-invalid-params"],
  ["a name with a space", "tools/name-shape"],
  // The official schema has the rule as well.
  ["arguments that are no object", "schema/messages", "tools/input-schema-object"],
  ["a schema that is none", "schema/valid"],
  ["arguments that nobody checks", "tools/inputs-validated"],
  ["another code for wrong arguments", "tools/bad-arguments"],
  ["an error that does not help", "agents/errors"],
  ["a stack", "agents/internals"],
  ["a novel", "agents/result-size"],
  ["contents of neither kind", "resources/contents", "schema/messages"],
  ["another code for resources", "resources/not-found-code"],
  ["a broken template", "resources/template-syntax"],
  ["a template without a variable", "resources/template-variables"],
  ["subscriptions that are not there", "resources/subscribe"],
  ["unknown prompts answered", "prompts/unknown-name"],
  ["a prompt without its argument", "prompts/missing-argument"],
  ["101 suggestions", "completion/at-most-100-values"],
  ["no suggestions", "completion/answered"],
  ["any level", "logging/set-level-invalid"],
  ["no levels", "logging/set-level"],
  ["progress that stands still", "progress/increases"],
  ["progress when all is done", "progress/token-of-active-request"],
  ["a field of its own", "lifecycle/respects-negotiated-version"],
  ["an end by garbage", "hostile/survived"],
  ["silence about garbage", "base/parse-error"],
  ["silence about invalid requests", "base/invalid-request"],
  ["any id", "base/unusable-request-id-refused"],
  ["no answer", "check/answered"],
  ["no end", "stdio/exit-on-eof"],
  ["an exit code", "stdio/exit-code"],
  ["half a line", "stdio/newline-delimited"],
  ["a tool that takes for ever", "agents/slow"],
  ["resources that are not there", "lifecycle/declared-is-there"],
  ["a tool that is nothing", "schema/messages"],
  ["null on standard output", "stdio/stdout-only-messages"],
  ["an end by cancelling", "check/answered"],
  ["a late start", "speed/start"],
];

const AT_ONCE = 4;
const UNANSWERED = new Set(["no answer", "a tool that takes for ever"]);

/** `npm test` leaves out hostile input, for which another server is started, where the flaw is another. */
const HOSTILE = new Set([
  "none",
  "an end by garbage",
  "silence about garbage",
  "silence about invalid requests",
  "any id",
]);
const POLITE = inSoak(
  CHECKS,
  CHECKS.filter(({ name }) => name !== "hostile input"),
);

/** The rules that are found to be broken, with what shows it for whoever reads that this test failed. */
async function findBroken(flaw: string): Promise<readonly string[]> {
  const { findings, failure = "" } = await checkServer({
    place: { command: [NODE, PROGRAM, flaw] },
    revisions: ["2025-11-25"],
    checks: HOSTILE.has(flaw) ? CHECKS : POLITE,
    timeoutMs: 120_000,
    patienceMs: UNANSWERED.has(flaw) ? 3000 : 30_000,
    measuresSpeed: flaw === "a late start",
  });
  const found = findings.map(({ rule }) => rule);
  const expected = FLAWS.find(([name]) => name === flaw)?.slice(1) ?? [];
  const others = findings.filter(({ rule }) => !expected.includes(rule));
  return [...new Set(found), ...others.map(({ words, example = "" }) => `${words} ${example}`), failure]
    .filter((words) => words !== "")
    .toSorted();
}

it("The check finds every flaw, and nothing else", async () => {
  const waiting = FLAWS.map(([flaw]) => flaw);
  const found: (readonly string[])[] = [];
  const work = async (): Promise<void> => {
    for (let flaw = waiting.shift(); flaw !== undefined; flaw = waiting.shift())
      found.push([flaw, ...(await findBroken(flaw))]);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const byName = (all: readonly (readonly string[])[]): Record<string, readonly string[]> =>
    Object.fromEntries(all.map(([flaw = "", ...rules]) => [flaw, rules.toSorted()] as const));
  expect(byName(found)).toEqual(byName(FLAWS));
});

it("Every rule that is broken there is one", () => {
  expect(FLAWS.flatMap(([, ...rules]) => rules).filter((rule) => !(rule in RULES))).toEqual([]);
});
