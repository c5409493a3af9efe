import { readFileSync, writeFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

import { SERVERS } from "../contract/servers.ts";
import { BOTH_ENDS, type Revision, REVISIONS } from "../support/revisions.ts";
import { inRoot } from "../support/root.ts";
import { officialClients } from "./checks/clients.ts";
import { CHECKS } from "./checks/index.ts";
import { visitOurs } from "./ours.ts";
import { renderSupport } from "./render-support.ts";
import { renderServers } from "./report.ts";
import type { VisitOutcome } from "./run.ts";
import type { BedCheck } from "./visit.ts";

const seen = new Map(
  SERVERS.filter(({ name }) => name !== "fixture").map(({ name }) => [name, [] as VisitOutcome[]]),
);

const WITHOUT_CLIENTS = CHECKS.filter((check) => check !== officialClients);

/** How HTTP is spoken is the core's: between the oldest and the newest revision, official clients try it on one server. */
const overHttp = (name: string, revision: Revision): readonly BedCheck[] =>
  name === "notes" || BOTH_ENDS.includes(revision) ? CHECKS : WITHOUT_CLIENTS;

describe.each(SERVERS)("$name", (server) => {
  it.each(REVISIONS)("works in %s over stdio and HTTP", async (revision) => {
    const outcomes = await Promise.all([
      visitOurs(server, "stdio", revision),
      visitOurs(server, "HTTP", revision, overHttp(server.name, revision)),
    ]);
    seen.get(server.name)?.push(...outcomes);
    expect(outcomes.flatMap(({ findings, advice }) => [...findings, ...advice])).toEqual([]);
    expect(outcomes.map(({ verdicts }) => verdicts.get("lifecycle"))).toEqual(["works", "works"]);
  });
});

it("All of that is in the documents", ({ task }) => {
  // For the end of `npm run e2e`.
  Object.assign(task.meta, { table: renderServers(seen) });
  const made = renderSupport(seen);
  if (process.env["UPDATE_DOCS"]) writeFileSync(inRoot("docs/support.md"), made);
  expect(readFileSync(inRoot("docs/support.md"), "utf8")).toBe(made);
});
