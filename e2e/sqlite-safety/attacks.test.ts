import { join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import {
  HARMLESS,
  HOSTILE_TABLES,
  OUTSIDE_FILES,
  READ_ATTACKS,
  SCHEMA_ATTACKS,
  WRITE_ATTACKS,
} from "./attack-rows.ts";
import { SqlitePlace } from "./place.ts";
import { answerOf, openProgram, type QueryAnswer, type SqliteProgram } from "./program.ts";
import { isRefusal } from "./refusals.ts";

const programs: SqliteProgram[] = [];

afterAll(() => Promise.all(programs.map(({ client }) => client.close())));

interface Scene {
  place: SqlitePlace;
  program: SqliteProgram;
  before: object;
}

/** One server for all attacks of a table: whatever one of them leaves behind may help the next. */
function stage(flags: readonly string[], prepare: (place: SqlitePlace) => void = () => undefined): Scene {
  const scene = {} as Scene;
  beforeAll(async () => {
    scene.place = new SqlitePlace();
    prepare(scene.place);
    scene.program = await openProgram([...flags, "--exchange", scene.place.exchange, scene.place.file]);
    programs.push(scene.program);
  });
  beforeEach(() => {
    scene.before = scene.place.observe();
  });
  return scene;
}

const aim = (sql: string, { place }: Scene): string => sql.replaceAll("{out}", place.outside);

const call = ({ program }: Scene, tool: string, args: object): Promise<QueryAnswer> =>
  answerOf(program.client.callTool(tool, args));

/** What came of it; in any case nothing changed, and nothing was told of what is outside. */
async function harmless({ place, before }: Scene, answering: Promise<QueryAnswer>): Promise<QueryAnswer> {
  const answer = await answering;
  expect(place.observe()).toEqual(before);
  expect(answer.said).not.toContain(place.marker);
  return answer;
}

/** How a tool takes an attack. */
const tryOn = (scene: Scene, tool: string, args: object): Promise<QueryAnswer> =>
  harmless(scene, call(scene, tool, args));

const attempts = (attacks: readonly string[]): readonly (readonly [shown: string, sql: string])[] =>
  attacks.map((sql) => [JSON.stringify(sql), sql]);

const READING: readonly (readonly [mode: string, flags: readonly string[]])[] = [
  ["to a database that may be written", ["--allow-ddl"]],
  ["to one that may not", ["--read-only"]],
];

describe.each(READING)("reading, %s", (_, flags) => {
  const scene = stage(flags);

  it.each(attempts(READ_ATTACKS))("refuses %s", async (_shown, attack) => {
    const query = aim(attack, scene);
    expect(await tryOn(scene, "read_query", { query })).toSatisfy(isRefusal);
    await tryOn(scene, "explain_query", { query });
  });

  it.each(HARMLESS)("runs %s", async (query, rows) => {
    const answer = await harmless(scene, call(scene, "read_query", { query }));
    expect(answer).toMatchObject({ code: undefined, rows });
  });

  it.each(attempts(HOSTILE_TABLES))("has no rows of the table %s", async (_shown, table) => {
    const uri = `sqlite://app/table/${encodeURIComponent(table)}/rows`;
    const { code } = await harmless(scene, answerOf(scene.program.client.readResource(uri)));
    expect(code).toBeDefined();
    await tryOn(scene, "describe_table", { table_name: table });
    await tryOn(scene, "profile_table", { table_name: table });
  });
});

describe("exporting", () => {
  const scene = stage(["--allow-ddl"]);

  it.each(attempts(READ_ATTACKS))("refuses %s", async (_shown, attack) => {
    const query = aim(attack, scene);
    const path = join(scene.place.exchange, "rows.csv");
    expect(await tryOn(scene, "export_data", { path, query })).toSatisfy(isRefusal);
  });

  it.each(attempts(HOSTILE_TABLES))("knows no table %s", async (_shown, table) => {
    const path = join(scene.place.exchange, "rows.csv");
    expect(await tryOn(scene, "export_data", { path, table_name: table })).toSatisfy(isRefusal);
  });

  it.each(OUTSIDE_FILES)("writes no file %s", async (name) => {
    const path = join(scene.place.exchange, aim(name, scene));
    const query = "SELECT 1";
    expect(await tryOn(scene, "export_data", { path, query, overwrite: true })).toSatisfy(isRefusal);
    expect(await tryOn(scene, "export_data", { path: name, query, overwrite: true })).toSatisfy(isRefusal);
    expect(await tryOn(scene, "backup_database", { path, overwrite: true })).toSatisfy(isRefusal);
    expect(await tryOn(scene, "import_data", { path, table_name: "log" })).toSatisfy(isRefusal);
  });

  it.each(OUTSIDE_FILES)("knows no database %s", async (name) => {
    const database = aim(name, scene);
    expect(await tryOn(scene, "read_query", { database, query: "SELECT * FROM secret" })).toSatisfy(
      isRefusal,
    );
  });
});

describe("reading a database with a log", () => {
  let writer: Database.Database;
  const scene = stage([], ({ file }) => {
    writer = new Database(file);
    writer.pragma("journal_mode = WAL");
    writer.exec("INSERT INTO log VALUES ('not in the file yet')");
  });
  afterAll(() => writer.close());

  it("leaves file and log as they are", async () => {
    expect(Object.keys(scene.before)).toContain(`${scene.place.file}-wal`);
    for (const attack of READ_ATTACKS) {
      expect(await tryOn(scene, "read_query", { query: aim(attack, scene) })).toSatisfy(isRefusal);
    }
    expect((await call(scene, "read_query", { query: "SELECT * FROM log" })).rows).toEqual([
      ["not in the file yet"],
    ]);
  });
});

describe("writing", () => {
  const scene = stage([]);

  it.each(attempts(WRITE_ATTACKS))("refuses %s", async (_shown, attack) => {
    const query = aim(attack, scene);
    expect(await tryOn(scene, "write_query", { query })).toSatisfy(isRefusal);
    const statements = [{ query: "INSERT INTO log VALUES ('first')" }, { query }];
    expect(await tryOn(scene, "execute_batch", { statements })).toSatisfy(isRefusal);
    expect(await tryOn(scene, "create_table", { query })).toSatisfy(isRefusal);
  });

  it("still works, by triggers too", async () => {
    const query = "INSERT INTO names VALUES ('ATTACH; PRAGMA') RETURNING name";
    expect((await call(scene, "write_query", { query })).code).toBeUndefined();
    const read = { query: "SELECT count(*) FROM people" };
    expect((await call(scene, "read_query", read)).rows).toEqual([[3]]);
  });
});

describe("changing the schema", () => {
  const scene = stage(["--allow-ddl"]);

  it.each(attempts(SCHEMA_ATTACKS))("refuses %s", async (_shown, attack) => {
    const query = aim(attack, scene);
    expect(await tryOn(scene, "create_table", { query })).toSatisfy(isRefusal);
    expect(await tryOn(scene, "execute_batch", { statements: [{ query }] })).toSatisfy(isRefusal);
  });

  it("makes what it may", async () => {
    const query = "CREATE TRIGGER made AFTER INSERT ON log BEGIN SELECT CASE 1 WHEN 1 THEN 2 END; END";
    expect((await call(scene, "create_table", { query })).code).toBeUndefined();
    const table = { query: 'CREATE VIRTUAL TABLE "temp" USING fts5(attach)' };
    expect((await call(scene, "create_table", table)).code).toBeUndefined();
  });
});
