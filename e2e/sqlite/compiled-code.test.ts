import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { callTool } from "@suite/check/wires";
import { expect, it } from "vitest";

import { commandFor } from "../bed/other-node.ts";
import { linkSqlite13, NODE_22 } from "../support/installed.ts";
import { createPlace } from "../support/place.ts";
import { SQLITE } from "../support/servers.ts";
import { Wire } from "../support/wire.ts";

/** A word in the code of better-sqlite3, which only the worker loads, and in none of ours. */
const WORD_OF_LIBRARY = "unsafeMode";

function readKept(folder: string): readonly string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), "latin1"));
}

it("has Node 22 keep the compiled code of the worker too", async () => {
  const cache = createPlace();
  const command = commandFor(NODE_22, SQLITE, linkSqlite13);
  const wire = await Wire.open([...command, ":memory:"], {
    revision: "2025-11-25",
    env: { XDG_CACHE_HOME: cache },
  });
  await callTool(wire, "read_query", { query: "SELECT 1" });
  expect(await wire.end()).toMatchObject({ code: 0 });
  // The worker ends by itself, a moment after the server.
  await expect.poll(() => readKept(cache).some((code) => code.includes(WORD_OF_LIBRARY))).toBe(true);
});
