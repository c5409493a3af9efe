import { readFileSync, writeFileSync } from "node:fs";

import { renderServers, type TransportName, type VisitOutcome } from "@suite/check";
import { type Revision, REVISIONS } from "@suite/check/wires";
import { describe, expect, it } from "vitest";

import { SERVERS } from "../contract/servers.ts";
import { inRoot } from "../support/root.ts";
import { inSoak } from "../support/soak.ts";
import { officialClients, oneOfficialClient } from "./official-clients.ts";
import { OUR_CHECKS, visitOurs } from "./ours.ts";

const isWhole = inSoak(true, process.env["UPDATE_DOCS"] !== undefined);
const TRANSPORTS: readonly TransportName[] = ["stdio", "HTTP"];
const EVERYTHING = REVISIONS.map((revision) => ({ revision, transports: TRANSPORTS }));
/** What revision and transport change is the core's, so `npm test` visits only notes in all of them, and the others in both eras. */
const visitsOf = (name: string): typeof EVERYTHING =>
  isWhole || name === "notes"
    ? EVERYTHING
    : [
        { revision: "2025-11-25", transports: ["stdio"] },
        { revision: "2026-07-28", transports: ["HTTP"] },
      ];

const seen = new Map(
  SERVERS.filter(({ name }) => name !== "fixture").map(({ name }) => [name, [] as VisitOutcome[]]),
);

/** How the protocol is spoken is the core's, so all official clients try all of it on one server, and one client on the others. */
const ONE_CLIENT = OUR_CHECKS.map((check) => (check === officialClients ? oneOfficialClient : check));

describe.each(SERVERS)("$name", (server) => {
  const checks = server.name === "notes" ? OUR_CHECKS : ONE_CLIENT;
  it.each(visitsOf(server.name))("works in $revision over $transports", async ({ revision, transports }) => {
    const outcomes = await Promise.all(
      transports.map((transport) => visitOurs(server, transport, revision, checks)),
    );
    seen.get(server.name)?.push(...outcomes);
    expect(outcomes.flatMap(({ findings, failure }) => [...findings, ...(failure ? [failure] : [])])).toEqual(
      [],
    );
    expect(outcomes.map(({ verdicts }) => verdicts.get("lifecycle"))).toEqual(transports.map(() => "works"));
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
  for (const [check = "", ...spans] of cellsOf(page).slice(2))
    for (const [at, outcomes] of [...seen.values()].entries()) {
      const able = outcomes.filter(({ transport }) => check !== "HTTP" || transport === "HTTP");
      const works = able.map(({ verdicts }) => verdicts.get(check) === "works");
      const told = able.map(({ revision }) => isIn(revision, spans[at] ?? ""));
      expect(works, `${check} of ${servers[at]}`).toEqual(told);
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
