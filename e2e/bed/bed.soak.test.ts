import { readFileSync, writeFileSync } from "node:fs";

import { type Check, renderServers, type TransportName, type VisitOutcome } from "@suite/check";
import { BOTH_ENDS, type Revision, REVISIONS } from "@suite/check/wires";
import { describe, expect, it } from "vitest";

import { SERVERS } from "../contract/servers.ts";
import { inRoot } from "../support/root.ts";
import { inSoak } from "../support/soak.ts";
import { officialClients, oneOfficialClient } from "./official-clients.ts";
import { OUR_CHECKS, visitOurs } from "./ours.ts";

/** What the revision changes is the core's, so `npm test` visits only notes, and the fixture of the core, in all of them. */
const isWhole = inSoak(true, process.env["UPDATE_DOCS"] !== undefined);
const revisionsOf = (name: string): readonly Revision[] =>
  isWhole || ["fixture", "notes"].includes(name) ? REVISIONS : BOTH_ENDS;

const seen = new Map(
  SERVERS.filter(({ name }) => name !== "fixture").map(({ name }) => [name, [] as VisitOutcome[]]),
);

const TRANSPORTS: readonly TransportName[] = ["stdio", "HTTP"];
const WITHOUT_CLIENTS = OUR_CHECKS.filter((check) => check !== officialClients);

/**
 * How the protocol is spoken is the core's, so all official clients try all of it on one server. On the others one speaks each
 * revision, and in the soak the oldest and the newest over HTTP as well.
 */
function checksOf(name: string, transport: TransportName, revision: Revision): readonly Check[] {
  if (name === "notes") return OUR_CHECKS;
  const isTried = transport === "stdio" || (isWhole && BOTH_ENDS.includes(revision));
  return isTried ? [...WITHOUT_CLIENTS, oneOfficialClient] : WITHOUT_CLIENTS;
}

describe.each(SERVERS)("$name", (server) => {
  it.each(revisionsOf(server.name))("works in %s over stdio and HTTP", async (revision) => {
    const outcomes = await Promise.all(
      TRANSPORTS.map((transport) =>
        visitOurs(server, transport, revision, checksOf(server.name, transport, revision)),
      ),
    );
    seen.get(server.name)?.push(...outcomes);
    expect(outcomes.flatMap(({ findings, failure }) => [...findings, ...(failure ? [failure] : [])])).toEqual(
      [],
    );
    expect(outcomes.map(({ verdicts }) => verdicts.get("lifecycle"))).toEqual(["works", "works"]);
  });
});

it("All of that is in the documents", ({ task }) => {
  // For the end of `npm run e2e`.
  Object.assign(task.meta, { table: renderServers(seen, OUR_CHECKS) });
  const file = inRoot("docs/support.md");
  const withTable = (page: string): string =>
    page.replace(/(?:^\|.*\n)+/m, `${renderServers(seen, OUR_CHECKS)}\n`);
  if (process.env["UPDATE_DOCS"]) writeFileSync(file, withTable(readFileSync(file, "utf8")));
  const page = readFileSync(file, "utf8");
  expect(isWhole ? page : "").toBe(isWhole ? withTable(page) : "");
  const [, ...servers] = cellsOf(page)[0] ?? [];
  expect(servers).toEqual([...seen.keys()]);
  for (const [check = "", ...spans] of cellsOf(page).slice(2)) {
    const told = spans.map((span, at) => revisionsOf(servers[at] ?? "").filter((one) => isIn(one, span)));
    const works = [...seen.values()].map((outcomes) =>
      outcomes.flatMap(({ revision, verdicts }) => (verdicts.get(check) === "works" ? [revision] : [])),
    );
    expect(
      works.map((revisions) => [...new Set(revisions)]),
      check,
    ).toEqual(told);
  }
});

/** Of the first table of a page. */
const cellsOf = (page: string): readonly (readonly string[])[] =>
  [...page.matchAll(/^\|(.*)\|$/gm)].map(([, row = ""]) => row.split("|").map((cell) => cell.trim()));

const isIn = (revision: Revision, span: string): boolean =>
  span === "all" ||
  span.split(", ").includes(revision) ||
  (span.startsWith("since ") && revision >= span.slice(6)) ||
  (span.startsWith("until ") && revision <= span.slice(6));
