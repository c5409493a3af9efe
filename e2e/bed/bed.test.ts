import { readFileSync, writeFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

import { SERVERS } from "../contract/servers.ts";
import { REVISIONS } from "../support/revisions.ts";
import { inRoot } from "../support/root.ts";
import { visitOurs } from "./ours.ts";
import { renderSupport } from "./render-support.ts";
import { renderServers } from "./report.ts";
import type { VisitOutcome } from "./run.ts";

const seen = new Map(
  SERVERS.filter(({ name }) => name !== "fixture").map(({ name }) => [name, [] as VisitOutcome[]]),
);

describe.each(SERVERS)("$name", (server) => {
  it.each(REVISIONS)("works in %s over stdio and HTTP", async (revision) => {
    const transports = ["stdio", "HTTP"] as const;
    const outcomes = await Promise.all(transports.map((transport) => visitOurs(server, transport, revision)));
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
