import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";

import { describe, expect, it } from "vitest";

import { createFolder } from "../contract/program.ts";
import { SERVERS } from "../contract/servers.ts";
import { REVISIONS } from "../support/revisions.ts";
import { inRoot } from "../support/root.ts";
import { visitOurs } from "./ours.ts";
import { REFERENCE, renderSupport } from "./render-support.ts";
import { type Outcome, visit } from "./run.ts";

const LONG_MS = 120_000;
const seen = new Map(
  SERVERS.filter(({ name }) => name !== "fixture").map(({ name }) => [name, [] as Outcome[]]),
);

describe.each(SERVERS)("$name", (server) => {
  it.each(REVISIONS)("works in %s over stdio and HTTP", { timeout: LONG_MS }, async (revision) => {
    const transports = ["stdio", "HTTP"] as const;
    const outcomes = await Promise.all(transports.map((transport) => visitOurs(server, transport, revision)));
    seen.get(server.name)?.push(...outcomes);
    expect(outcomes.flatMap(({ findings, advice }) => [...findings, ...advice])).toEqual([]);
    expect(outcomes.map(({ verdicts }) => verdicts.get("lifecycle"))).toEqual(["works", "works"]);
  });
});

describe("a server made elsewhere", () => {
  it(
    "is told what it does otherwise, and all of that is in the documents",
    { timeout: LONG_MS },
    async () => {
      const command = [
        process.execPath,
        createRequire(import.meta.url).resolve(`${REFERENCE}/dist/index.js`),
      ];
      const reference: Outcome[] = [];
      for (const revision of REVISIONS) {
        const folder = createFolder();
        reference.push(
          await visit({ command: [...command, folder] }, { revision, transport: "stdio", folder }),
        );
      }
      expect(reference.at(-1)?.verdicts.size).toBe(0);
      expect(reference[0]?.findings).toEqual([
        "tool calls: An unknown tool gets a result with isError, and not -32602",
      ]);
      const made = renderSupport(seen, reference);
      if (process.env["UPDATE_DOCS"]) writeFileSync(inRoot("docs/support.md"), made);
      expect(readFileSync(inRoot("docs/support.md"), "utf8")).toBe(made);
    },
  );
});
