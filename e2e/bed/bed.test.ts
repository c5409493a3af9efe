import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { createFolder } from "../contract/program.ts";
import { SERVERS } from "../contract/servers.ts";
import { sqlite } from "../contract/servers/sqlite.ts";
import { homeOf, linkSqlite13, NODE_22 } from "../support/installed.ts";
import { REVISIONS } from "../support/revisions.ts";
import { inRoot } from "../support/root.ts";
import { commandFor } from "./other-node.ts";
import { visitOurs } from "./ours.ts";
import { REFERENCE, renderSupport } from "./render-support.ts";
import { renderServers } from "./report.ts";
import { visit, type VisitOutcome } from "./run.ts";
import type { BedSetting } from "./visit.ts";

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

describe("on Node 22", () => {
  it("works in SQLite, with version 13 of its library", async () => {
    const command = commandFor(NODE_22, sqlite.command, linkSqlite13);
    const { findings, verdicts } = await visitOurs({ ...sqlite, command }, "stdio", "2026-07-28");
    expect(findings).toEqual([]);
    expect(verdicts.get("tool calls")).toBe("works");
  });
});

describe("a server made elsewhere", () => {
  it("is told what it does otherwise, and all of that is in the documents", async ({ task }) => {
    const command = [process.execPath, join(homeOf(REFERENCE), "dist/index.js")];
    const reference: VisitOutcome[] = [];
    for (const revision of REVISIONS) {
      const setUp = async (): Promise<BedSetting> => {
        const folder = createFolder();
        return { place: { command: [...command, folder] }, folder };
      };
      reference.push(await visit(setUp, { revision, transport: "stdio" }));
    }
    // For the end of `npm run e2e`.
    Object.assign(task.meta, { table: renderServers(seen) });
    expect(reference.at(-1)?.verdicts.size).toBe(0);
    expect(reference[0]?.findings).toEqual([
      "tool calls: An unknown tool gets a result with isError, and not -32602",
    ]);
    const made = renderSupport(seen, reference);
    if (process.env["UPDATE_DOCS"]) writeFileSync(inRoot("docs/support.md"), made);
    expect(readFileSync(inRoot("docs/support.md"), "utf8")).toBe(made);
  });
});
