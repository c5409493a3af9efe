import { addressOf, type Level, ruleOf } from "../rules/rules.ts";
import type { CheckReport, MetFinding } from "../visits/check-server.ts";

/** A report as it is judged: what counts, and what does not and why. */
export interface Judged extends CheckReport {
  /** As it was started or reached. */
  readonly target: string;
  /** Those that count. */
  readonly findings: readonly MetFinding[];
  /** Findings of the baseline. */
  readonly known: readonly MetFinding[];
  readonly skipped: ReadonlyMap<string, string>;
}

export const countOf = ({ findings }: Judged, level: Level): number =>
  findings.filter((finding) => finding.level === level).length;

/** For programs. */
export function toJson({ outcomes, skipped, findings, known, ...report }: Judged): string {
  const explain = (finding: MetFinding): object => {
    const rule = ruleOf(finding.rule);
    return { ...finding, says: rule.says, mend: rule.mend, specification: addressOf(rule) };
  };
  const checks = outcomes.map(({ revision, transport, verdicts, failure }) => ({
    revision,
    transport,
    failure,
    verdicts: Object.fromEntries(verdicts),
  }));
  const whole = {
    ...report,
    findings: findings.map(explain),
    known: known.map(explain),
    skipped: Object.fromEntries(skipped),
    checks,
  };
  return `${JSON.stringify(whole, undefined, 2)}\n`;
}

// oxlint-disable-next-line no-control-regex -- XML has no place for them
const FORBIDDEN = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g;

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

const toXml = (text: string): string =>
  text
    .toWellFormed()
    .replace(FORBIDDEN, "\uFFFD")
    .replace(/[&<>"]/g, (character) => ENTITIES[character] ?? "");

/** A suite for each revision, a case for each check; what is only recommended is printed with the case. */
export function toJunit({ outcomes, target, findings }: Judged): string {
  const suites = outcomes.map(({ revision, transport, verdicts }) => {
    const cases = [...verdicts].map(([name, verdict]) => {
      const met = findings.filter((one) => one.check === name && one.revisions.includes(revision));
      const inner = [
        ...(verdict === "absent" ? ["<skipped/>"] : []),
        ...met.map(({ level, words, rule, example = "" }) => {
          const text = toXml(`${rule}: ${words}\n${ruleOf(rule).mend}\n${example}`);
          return level === "error"
            ? `<failure message="${toXml(words)}">${text}</failure>`
            : `<system-out>${text}</system-out>`;
        }),
      ];
      return `<testcase classname="${revision}" name="${toXml(name)}">${inner.join("")}</testcase>`;
    });
    const failures = cases.filter((one) => one.includes("<failure")).length;
    const name = toXml(`${target} in ${revision} over ${transport}`);
    return `<testsuite name="${name}" tests="${cases.length}" failures="${failures}">\n${cases.join("\n")}\n</testsuite>`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${suites.join("\n")}\n</testsuites>\n`;
}

/** For code scanning. Findings are about a running program: they have no line, and are placed at the top of `file`. */
export function toSarif({ findings, known, target }: Judged, version: string, file: string): string {
  const all = [...findings, ...known];
  const ids = [...new Set(all.map(({ rule }) => rule))];
  const rules = ids.map((id) => {
    const rule = ruleOf(id);
    const address = addressOf(rule);
    return {
      id,
      shortDescription: { text: rule.says },
      help: { text: rule.mend },
      ...(address && { helpUri: address }),
      defaultConfiguration: { level: rule.level },
    };
  });
  const results = all.map((finding) => ({
    ruleId: finding.rule,
    level: finding.level,
    message: { text: `${finding.words} (${finding.revisions.join(", ")})` },
    locations: [
      {
        physicalLocation: { artifactLocation: { uri: file }, region: { startLine: 1 } },
        logicalLocations: [{ fullyQualifiedName: target }],
      },
    ],
    partialFingerprints: { finding: `${finding.rule} ${finding.words}` },
    ...(known.includes(finding) && { suppressions: [{ kind: "external" }] }),
  }));
  const driver = {
    name: "check",
    version,
    informationUri: "https://www.npmjs.com/package/@suite/check",
    rules,
  };
  const run = { tool: { driver }, results };
  const log = { $schema: "https://json.schemastore.org/sarif-2.1.0.json", version: "2.1.0", runs: [run] };
  return `${JSON.stringify(log, undefined, 2)}\n`;
}

export const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? "" : "s"}`;

/** In a word or two, with the colour that goes with it. */
function toMessage(judged: Judged): { readonly message: string; readonly color: string } {
  const [errors, warnings] = [countOf(judged, "error"), countOf(judged, "warning")];
  if (judged.failure !== undefined) return { message: "not running", color: "#9f9f9f" };
  if (errors > 0) return { message: count(errors, "error"), color: "#e05d44" };
  if (warnings > 0) return { message: count(warnings, "warning"), color: "#dfb317" };
  return { message: "passes", color: "#4c1" };
}

/** For an endpoint of shields.io. */
export const toShield = (judged: Judged): string =>
  `${JSON.stringify({ schemaVersion: 1, label: "MCP check", ...toMessage(judged) })}\n`;

const LABEL_WIDTH = 76;

export function toSvg(judged: Judged): string {
  const { message, color } = toMessage(judged);
  const width = 14 + message.length * 7;
  const whole = LABEL_WIDTH + width;
  const text = (x: number, words: string): string => `<text x="${x}" y="14">${words}</text>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${whole}" height="20" role="img" aria-label="MCP check: ${message}">
<rect width="${LABEL_WIDTH}" height="20" fill="#555"/><rect x="${LABEL_WIDTH}" width="${width}" height="20" fill="${color}"/>
<g fill="#fff" text-anchor="middle" font-family="Verdana,sans-serif" font-size="11">${text(LABEL_WIDTH / 2, "MCP check")}${text(LABEL_WIDTH + width / 2, message)}</g>
</svg>
`;
}
