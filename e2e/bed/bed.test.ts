import { readFileSync, writeFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

import { SERVERS } from "../contract/servers.ts";
import { BOTH_ENDS, type Revision, REVISIONS } from "../support/revisions.ts";
import { inRoot } from "../support/root.ts";
import { officialClients, oneOfficialClient } from "./checks/clients.ts";
import { CHECKS } from "./checks/index.ts";
import { visitOurs } from "./ours.ts";
import { renderSupport } from "./render-support.ts";
import { renderServers } from "./report.ts";
import type { VisitOutcome } from "./run.ts";
import type { BedCheck, TransportName } from "./visit.ts";

const seen = new Map(
  SERVERS.filter(({ name }) => name !== "fixture").map(({ name }) => [name, [] as VisitOutcome[]]),
);

const TRANSPORTS: readonly TransportName[] = ["stdio", "HTTP"];
const WITHOUT_CLIENTS = CHECKS.filter((check) => check !== officialClients);

/**
 * How the protocol is spoken is the core's, so all official clients try all of it on one server. On the others one speaks each
 * revision, and over HTTP the oldest and the newest.
 */
function checksOf(name: string, transport: TransportName, revision: Revision): readonly BedCheck[] {
  if (name === "notes") return CHECKS;
  const isTried = transport === "stdio" || BOTH_ENDS.includes(revision);
  return isTried ? [...WITHOUT_CLIENTS, oneOfficialClient] : WITHOUT_CLIENTS;
}

describe.each(SERVERS)("$name", (server) => {
  it.each(REVISIONS)("works in %s over stdio and HTTP", async (revision) => {
    const outcomes = await Promise.all(
      TRANSPORTS.map((transport) =>
        visitOurs(server, transport, revision, checksOf(server.name, transport, revision)),
      ),
    );
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
