import { REVISIONS } from "../support/revisions.ts";
import type { ReferenceServer } from "./reference-servers.ts";
import { toTable } from "./report.ts";
import type { VisitOutcome, Verdict } from "./run.ts";

/** A visit to a reference server, as it goes into the documents. */
export interface Account {
  /** Its row in the table. */
  readonly row: readonly string[];
  /** What was found, in words. */
  readonly section: string;
}

const BEYOND = /^every message: It says (.+), which the revision does not know$/;

const nameOf = (server: ReferenceServer): string => server.package.replace("@modelcontextprotocol/", "");

/** As many revisions one after the other as can be told in two words. */
function toSpan(revisions: readonly string[]): string {
  const [first = "", last = ""] = [revisions[0], revisions.at(-1)];
  return first === last ? first : `${first} to ${last}`;
}

/** Each finding once, with the revisions it was met in. */
function gather(outcomes: readonly VisitOutcome[], kind: "findings" | "advice"): ReadonlyMap<string, string> {
  const words = new Set(outcomes.flatMap((outcome) => outcome[kind]));
  const metIn = (one: string): readonly string[] =>
    REVISIONS.filter((revision) => outcomes.some((o) => o.revision === revision && o[kind].includes(one)));
  return new Map([...words].map((one) => [one, toSpan(metIn(one))]));
}

/** What it says to clients of older revisions, in one line: it is the same habit every time. */
function renderAdvice(outcomes: readonly VisitOutcome[]): readonly string[] {
  const advice = gather(outcomes, "advice");
  const beyond = [...advice.keys()].flatMap((words) => BEYOND.exec(words)?.[1] ?? []);
  const rest = [...advice].filter(([words]) => !BEYOND.test(words));
  return [
    ...rest.map(([words, span]) => `- ! ${words} (${span})`),
    ...(beyond.length === 0
      ? []
      : [
          `- ! every message: It says to older clients what their revision does not know: ${beyond.join(", ")}`,
        ]),
  ];
}

export function toAccount(server: ReferenceServer, outcomes: readonly VisitOutcome[]): Account {
  const spoken = outcomes.filter(({ verdicts }) => verdicts.size > 0);
  const count = (wanted: Verdict): number =>
    spoken.flatMap(({ verdicts }) => [...verdicts.values()]).filter((verdict) => verdict === wanted).length;
  const findings = [...gather(outcomes, "findings")].map(([words, span]) => `- ✗ ${words} (${span})`);
  const advice = renderAdvice(outcomes);
  const name = nameOf(server);
  const spans = toSpan(spoken.map(({ revision }) => revision));
  const counts = [count("works"), count("fails"), count("absent"), findings.length, advice.length];
  return {
    row: [`[${name}](#${name}) ${server.version}`, spans, ...counts.map(String)],
    section: [`## ${name}`, "", "```text", toCommand(server), "```", "", ...findings, ...advice].join("\n"),
  };
}

/** As a person would do it. */
function toCommand({ package: name, version, env, args }: ReferenceServer): string {
  const settings = env("DIR");
  const words = [
    ...(settings.length === 0 ? [] : ["env", ...settings]),
    `npx -y ${name}@${version}`,
    ...args("DIR"),
  ];
  return `npm run e2e -- --call-tools --command "${words.join(" ")}"`;
}

const HEAD = ["server", "revisions", "✓", "✗", "–", "findings", "recommendations"];

/** docs/reference-servers.md, from what was seen. */
export const renderReference = (
  accounts: readonly Account[],
): string => `# What the bed finds in the reference servers

The [bed](support.md#a-server-of-yours) takes any server. These are the reference servers that npm has and that are kept up, each
visited over stdio in all five revisions, with every tool called. They exist to demonstrate the protocol, and most of what is listed here
is a matter of manners.

${toTable(
  HEAD,
  accounts.map(({ row }) => row),
)}

✓, ✗ and – count checks that hold, that fail, and that do not apply because the server does not offer it, over all revisions it speaks.
A finding (✗) is against a rule of the specification. A recommendation (!) is not: the specification advises otherwise, or other
clients may stumble. Nobody is held to [our own contract with agents](agent-contract.md). Made by a
[test](../e2e/bed/reference.soak.test.ts) of \`npm run soak\`; \`npm test\` holds the part on the filesystem server to what it sees.

${accounts.map(({ section }) => section).join("\n\n")}
`;
