import { existsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { callTool, textOf } from "@suite/check/wires";
import { describe, expect, it } from "vitest";

import { createDatabase } from "../sqlite/direct.ts";
import { openSqlite } from "../sqlite/program.ts";
import { errorOf } from "../support/calls.ts";
import { createPlace } from "../support/place.ts";

const COUNTER = "CREATE TABLE t (id INTEGER PRIMARY KEY, filler TEXT);";
const MAGIC = Buffer.from("d9d505f920a163d7", "hex");

/** What SQLite would undo, and then delete the file that it names; if it is not hot, with the next write that is undone. */
function forgeJournal(database: string, named: string, isHot = true): void {
  const name = Buffer.from(named);
  const toBytes = (...numbers: readonly number[]): Buffer =>
    Buffer.concat(
      numbers.map((number) => {
        const bytes = Buffer.alloc(4);
        bytes.writeUInt32BE(number);
        return bytes;
      }),
    );
  const header = Buffer.alloc(isHot ? 512 : 100_000);
  if (isHot) Buffer.concat([MAGIC, toBytes(0, 1, statSync(database).size / 4096, 512, 4096)]).copy(header);
  const checksum = name.reduce((sum, byte) => sum + byte, 0);
  const tail = [toBytes(0x40000000 / 4096 + 1), name, toBytes(name.length, checksum), MAGIC];
  writeFileSync(`${database}-journal`, Buffer.concat([header, ...tail]));
}

interface Scene {
  readonly file: string;
  readonly precious: string;
}

function createScene(mode = "delete"): Scene {
  const folder = createPlace();
  const precious = join(folder, "precious.txt");
  writeFileSync(precious, "precious");
  return {
    file: createDatabase(join(folder, "a.db"), `PRAGMA journal_mode = ${mode}; ${COUNTER}`),
    precious,
  };
}

describe("a journal that names a file to delete", () => {
  const refused = { code: "unavailable", retryable: false };
  const REASON = /would delete a file that "a\.db-journal" names/;
  const QUICK = ["--busy-timeout", "50ms"];

  it.each([
    [[], "delete"],
    [["--create"], "wal"],
    [["--read-only"], "delete"],
  ] as const)("is refused with the options %j, journal mode %s", async (options, mode) => {
    const { file, precious } = createScene(mode);
    forgeJournal(file, precious);
    const wire = await openSqlite([file, ...QUICK, ...options]);
    const read = await callTool(wire, "read_query", { query: "SELECT * FROM t" });
    expect(errorOf(read)).toMatchObject(refused);
    expect(textOf(read)).toMatch(REASON);
    await wire.end();
    expect(existsSync(precious)).toBe(true);
  });

  it.each([true, false])("is refused by a server that has written already, hot: %s", async (isHot) => {
    const { file, precious } = createScene();
    const wire = await openSqlite([file, ...QUICK]);
    await callTool(wire, "write_query", { query: "DELETE FROM t" });
    forgeJournal(file, precious, isHot);
    const failing = { query: "INSERT INTO t VALUES (1, 'a'), (1, 'b')" };
    const written = await callTool(wire, "write_query", failing);
    expect(errorOf(written)).toMatchObject(refused);
    expect(textOf(written)).toMatch(REASON);
    await wire.end();
    expect(existsSync(precious)).toBe(true);
  });

  it.each([
    ["the server's own list", async (file: string): Promise<void> => void (await change(file))],
    [
      "a list of somebody else",
      async (file: string): Promise<void> => void createDatabase(`${file}.suite-undo`, COUNTER),
    ],
  ])("is not read beside %s of changes", async (_, prepare) => {
    const { file, precious } = createScene();
    await prepare(file);
    forgeJournal(`${file}.suite-undo`, precious);
    expect(await change(file)).toHaveProperty("undo");
    expect(existsSync(precious)).toBe(true);
  });
});

async function change(file: string): Promise<object> {
  const wire = await openSqlite([file]);
  const done = await callTool(wire, "write_query", { query: "INSERT INTO t DEFAULT VALUES" });
  await wire.end();
  return done.result?.["structuredContent"] ?? {};
}
