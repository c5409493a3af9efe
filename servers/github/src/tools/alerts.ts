import type { ToolDefinition } from "@suite/server-kit";
import { Fault } from "@suite/server-kit/domain";
import * as v from "valibot";

import { repoOf } from "../api.ts";
import type { Api, ListItems } from "../domain/api.ts";
import { nameOf, type Repo } from "../domain/gateway/repositories.ts";
import { project, readPath, toText } from "../domain/answers/projection.ts";
import type { GithubState } from "../state.ts";
import { fields } from "./projections.ts";
import { defineRead, listHeader, takePage, toItem } from "./reading.ts";
import { placeOf } from "./repositories.ts";
import { keysOf, OptionalNum, page, type Shape } from "./schemas.ts";

interface AlertKind {
  readonly path: string;
  readonly isByCursor?: true;
  readonly params?: { readonly [name: string]: unknown };
  readonly closed: string;
  readonly severity: (alert: unknown) => string;
  readonly spec: readonly string[];
  readonly full: readonly string[];
}

/** No spec names the secret that was found, and GitHub is asked to leave it out. */
const KINDS = {
  code_scanning: {
    path: "code-scanning/alerts",
    closed: "closed",
    severity: (alert) =>
      toText(readPath(alert, "rule.security_severity_level")) || toText(readPath(alert, "rule.severity")),
    spec: fields(
      "number state title=rule.description rule=rule.id path=most_recent_instance.location.path line=most_recent_instance.location.start_line created_at url=html_url",
    ),
    full: fields(
      "tool=tool.name message=most_recent_instance.message.text ref=most_recent_instance.ref commit=most_recent_instance.commit_sha dismissed_by=dismissed_by.login dismissed_reason dismissed_comment help=rule.full_description",
    ),
  },
  dependabot: {
    path: "dependabot/alerts",
    isByCursor: true,
    closed: "dismissed,fixed,auto_dismissed",
    severity: (alert) => toText(readPath(alert, "security_vulnerability.severity")),
    spec: fields(
      "number state title=security_advisory.summary package=dependency.package.name manifest=dependency.manifest_path vulnerable=security_vulnerability.vulnerable_version_range patched=security_vulnerability.first_patched_version.identifier created_at url=html_url",
    ),
    full: fields(
      "ghsa=security_advisory.ghsa_id cve=security_advisory.cve_id cvss=security_advisory.cvss.score scope=dependency.scope relationship=dependency.relationship dismissed_by=dismissed_by.login dismissed_reason dismissed_comment body=security_advisory.description",
    ),
  },
  secret_scanning: {
    path: "secret-scanning/alerts",
    params: { hide_secret: true },
    closed: "resolved",
    // A secret that works, or that everybody has seen, is urgent.
    severity: (alert) => {
      const isUrgent =
        readPath(alert, "validity") === "active" || readPath(alert, "publicly_leaked") === true;
      return isUrgent ? "critical" : readPath(alert, "validity") === "inactive" ? "low" : "high";
    },
    spec: fields(
      "number state title=secret_type_display_name validity publicly_leaked path=first_location_detected.path line=first_location_detected.start_line created_at url=html_url",
    ),
    full: fields(
      "commit=first_location_detected.commit_sha more_places=has_more_locations resolution resolved_by=resolved_by.login resolution_comment push_protection_bypassed",
    ),
  },
} as const satisfies { readonly [kind: string]: AlertKind };

type KindName = keyof typeof KINDS;

/** Worst first. Code scanning has both scales. */
const SEVERITIES = ["critical", "high", "error", "medium", "moderate", "warning", "low", "note"];
const rankOf = (severity: string): number => (SEVERITIES.indexOf(severity) + 99) % 99;

export const createAlertTools = (shape: Shape): readonly ToolDefinition<GithubState>[] => [
  defineRead({
    name: "alerts_read",
    alsoKnownAs: (["code_scanning", "dependabot", "secret_scanning"] as const).flatMap((kind) => [
      `list_${kind}_alerts`,
      `get_${kind}_alert`,
    ]),
    title: "Read security alerts",
    description:
      "Open security alerts, worst first, of one kind or of all; or one of them in full (kind, alert_number). Secrets themselves are not shown.",
    group: "code_security",
    input: {
      ...shape.repo,
      kind: v.optional(v.picklist(keysOf(KINDS))),
      alert_number: OptionalNum,
      state: v.optional(v.picklist(["open", "closed"])),
      ...page,
    },
    aliases: { alert_number: ["number", "alertNumber"] },
    header: ({ kind, alert_number, ...input }, output) =>
      alert_number === undefined
        ? listHeader(output, `${kind?.replace("_", " ") ?? "security"} alert`, placeOf(input))
        : `Alert ${placeOf(input)}#${alert_number} (${kind ?? ""}):`,
    advice: ({ item }) =>
      item?.["unavailable"] !== undefined && "Not all kinds of alerts could be read: see unavailable.",
    async read(input, api, context) {
      const { kind, alert_number, state = "open", ...rest } = input;
      const repo = repoOf(input, context);
      if (alert_number !== undefined) {
        if (kind === undefined) throw new Fault("invalid_input", "Each kind has its own numbers: give kind.");
        const { path, params, spec, full }: AlertKind = KINDS[kind];
        const route = `/repos/{owner}/{repo}/${path}/{alert_number}`;
        const { data } = await api.get(route, { ...repo, ...params, alert_number }, seenIn(repo));
        const told = { severity: KINDS[kind].severity(data) };
        const shown = { ...told, ...project(data, [...spec, ...full]) };
        return toItem(shown, Object.keys(shown), rest, context, [kind, nameOf(repo), alert_number]);
      }
      const { found, unavailable } = await gather(api, repo, kind, state);
      const all = found
        .flatMap(({ name, items }) =>
          items.map((alert) => ({
            ...(kind === undefined && { kind: name }),
            severity: KINDS[name].severity(alert),
            ...project(alert, KINDS[name].spec),
          })),
        )
        .toSorted((one, other) => rankOf(one.severity) - rankOf(other.severity));
      const counts: Record<string, number> = {};
      for (const { severity } of all) counts[severity || "other"] = (counts[severity || "other"] ?? 0) + 1;
      const isWhole = found.every((each) => each.isWhole);
      const data = { ...counts, ...(unavailable.length > 0 && { unavailable }) };
      const about = ["alerts", nameOf(repo), kind ?? null, state];
      const spec = [...new Set(all.flatMap((each) => Object.keys(each)))];
      return takePage({ data, head: Object.keys(data), all, isWhole, spec }, rest, context.budget, about);
    },
  }),
];

/** Few people who see a repository see its alerts, so they are private even if the repository is not. */
const seenIn = ({ owner, repo }: Repo) => ({
  strangers: false,
  within: () => ({ owner, what: `alerts of ${repo}`, isPublic: false }),
});

/** All alerts of the wanted kinds, up to 1,000 of each. A kind that a repository does not have is said, not an error. */
async function gather(
  api: Api,
  repo: Repo,
  kind: KindName | undefined,
  state: "open" | "closed",
): Promise<{ found: (ListItems & { name: KindName })[]; unavailable: string[] }> {
  const wanted = kind === undefined ? keysOf(KINDS) : [kind];
  const unavailable: string[] = [];
  let failure: unknown;
  const found: (ListItems & { name: KindName })[] = [];
  for (const name of wanted) {
    const { path, params, closed, isByCursor }: AlertKind = KINDS[name];
    const asked = { ...repo, ...params, state: state === "open" ? state : closed };
    try {
      const more = { ...seenIn(repo), ...(isByCursor && { isByCursor }) };
      found.push({ name, ...(await api.all(`/repos/{owner}/{repo}/${path}`, asked, more)) });
    } catch (thrown) {
      const isAbsent =
        thrown instanceof Fault && (thrown.code === "not_found" || thrown.code === "permission_denied");
      if (!isAbsent) throw thrown;
      failure ??= thrown;
      unavailable.push(`${name}: ${thrown.message}`);
    }
  }
  if (found.length === 0) throw failure;
  return { found, unavailable };
}
