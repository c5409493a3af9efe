import { readFileSync, writeFileSync } from "node:fs";

import { toTable } from "@suite/check";
import { expect, it } from "vitest";

import { inRoot } from "../support/root.ts";
import { inSoak } from "../support/soak.ts";
import { checkReference, isInstalled, prepareHomes, REFERENCE_SERVERS } from "./reference-servers.ts";
import { type Account, renderReference, toAccount } from "./render-reference.ts";

const PAGE = inRoot("docs/reference-servers.md");
/** The tests of others depend on it, so it is installed. */
const [filesystem = expect.fail("There are no reference servers")] = REFERENCE_SERVERS;

/** The table of the page, without the line below its head. */
function readTable(): { readonly text: string; readonly head: string[]; readonly rows: string[][] } {
  const lines = readFileSync(PAGE, "utf8")
    .split("\n")
    .filter((line) => line.startsWith("|"));
  const cells = lines.map((line) =>
    line
      .slice(1, -1)
      .split("|")
      .map((cell) => cell.trim()),
  );
  const [head = [], , ...rows] = cells;
  return { text: lines.join("\n"), head, rows };
}

it("The reference servers are told what they do otherwise, and all of that is in the documents", async () => {
  const visited = inSoak(REFERENCE_SERVERS, [filesystem]);
  const homeIn = await prepareHomes(visited);
  const accounts: Account[] = [];
  for (const server of visited)
    accounts.push(toAccount(server, await checkReference(server, homeIn(server))));
  const made = renderReference(accounts);
  const isWhole = accounts.length === REFERENCE_SERVERS.length;
  if (isWhole && process.env["UPDATE_DOCS"]) writeFileSync(PAGE, made);
  const page = readFileSync(PAGE, "utf8");
  for (const { section } of accounts) expect(page).toContain(section);
  expect(readTable().rows).toEqual(expect.arrayContaining(accounts.map(({ row }) => row)));
  expect(isWhole ? page : made).toBe(made);
});

it("The installed reference server is the one in the documents", () => {
  expect(isInstalled(filesystem)).toBe(true);
});

it("The table in the documents has the form in which it is made", () => {
  const { text, head, rows } = readTable();
  expect(rows).toHaveLength(REFERENCE_SERVERS.length);
  expect(text).toBe(toTable(head, rows));
});
