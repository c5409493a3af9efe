import { readFileSync, writeFileSync } from "node:fs";

import { type Check, renderServers, type TransportName, type VisitOutcome } from "@suite/check";
import { BOTH_ENDS, type Revision, REVISIONS } from "@suite/check/wires";
import { describe, expect, it } from "vitest";

import { SERVERS } from "../contract/servers.ts";
import { inRoot } from "../support/root.ts";
import { officialClients, oneOfficialClient } from "./official-clients.ts";
import { OUR_CHECKS, visitOurs } from "./ours.ts";
import { renderSupport } from "./render-support.ts";

const seen = new Map(
  SERVERS.filter(({ name }) => name !== "fixture").map(({ name }) => [name, [] as VisitOutcome[]]),
);

const TRANSPORTS: readonly TransportName[] = ["stdio", "HTTP"];
const WITHOUT_CLIENTS = OUR_CHECKS.filter((check) => check !== officialClients);

/**
 * How the protocol is spoken is the core's, so all official clients try all of it on one server. On the others one speaks each
 * revision, and over HTTP the oldest and the newest.
 */
function checksOf(name: string, transport: TransportName, revision: Revision): readonly Check[] {
  if (name === "notes") return OUR_CHECKS;
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
    expect(outcomes.flatMap(({ findings, failure }) => [...findings, ...(failure ? [failure] : [])])).toEqual(
      [],
    );
    expect(outcomes.map(({ verdicts }) => verdicts.get("lifecycle"))).toEqual(["works", "works"]);
  });
});

it("All of that is in the documents", ({ task }) => {
  // For the end of `npm run e2e`.
  Object.assign(task.meta, { table: renderServers(seen, OUR_CHECKS) });
  const made = renderSupport(seen);
  if (process.env["UPDATE_DOCS"]) writeFileSync(inRoot("docs/support.md"), made);
  expect(readFileSync(inRoot("docs/support.md"), "utf8")).toBe(made);
});
