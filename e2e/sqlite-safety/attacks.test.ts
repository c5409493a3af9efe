import { join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { CHANGING, EVERYTHING, HOSTILE, ODD } from "./disguises.ts";
import { SqlitePlace } from "./place.ts";
import { answerOf, openProgram, type QueryAnswer, type SqliteProgram } from "./program.ts";
import { isRefusal } from "./refusals.ts";

interface Scene {
  place: SqlitePlace;
  program: SqliteProgram;
  before: object;
}

/** One server for all attacks of a table: whatever one of them leaves behind may help the next. */
function stage(prepare: (place: SqlitePlace) => void = () => undefined): Scene {
  const scene = {} as Scene;
  beforeAll(async () => {
    scene.place = new SqlitePlace(HOSTILE.replaceAll("SECRET", "/tmp/none"));
    prepare(scene.place);
    scene.program = await openProgram(["--exchange", scene.place.exchange, scene.place.file]);
  });
  beforeEach(() => {
    scene.before = scene.place.observe();
  });
  afterAll(() => scene.program.client.close());
  return scene;
}

const aim = (sql: string, { place: { outside } }: Scene): string =>
  sql.replaceAll("SECRET", join(outside, "secret.db")).replaceAll("OUT", join(outside, "new.db"));

const call = ({ program }: Scene, tool: string, args: object): Promise<QueryAnswer> =>
  answerOf(program.client.callTool(tool, args));

/** How a tool takes an attack: in any case nothing changes, and nothing is told of what is outside. */
async function tryOn(scene: Scene, tool: string, args: object): Promise<QueryAnswer> {
  const answer = await call(scene, tool, args);
  expect(scene.place.observe(), JSON.stringify(args)).toEqual(scene.before);
  expect(answer.said).not.toContain(scene.place.marker);
  return answer;
}

describe("a folder for files", () => {
  const scene = stage();

  it.each(["../outside/secret.db", "../outside/secret.txt", "../app.db", "../app.db-wal", "../new.csv"])(
    "is not left for %s, which is no database either",
    async (name) => {
      const query = "SELECT 1";
      for (const path of [join(scene.place.exchange, name), name]) {
        expect(await tryOn(scene, "export_data", { path, query, overwrite: true })).toSatisfy(isRefusal);
        expect(await tryOn(scene, "backup_database", { path, overwrite: true })).toSatisfy(isRefusal);
        expect(await tryOn(scene, "import_data", { path, table_name: "t" })).toSatisfy(isRefusal);
      }
      expect(await tryOn(scene, "read_query", { database: name, query: "SELECT * FROM secret" })).toSatisfy(
        isRefusal,
      );
    },
  );
});

describe("a database with a log", () => {
  let writer: Database.Database;
  const scene = stage(({ file }) => {
    writer = new Database(file);
    writer.pragma("journal_mode = WAL");
    writer.exec("INSERT INTO child VALUES (NULL)");
  });
  afterAll(() => writer.close());

  it("stays as it is, and so does the log, with all that is taken for a query", async () => {
    expect(Object.keys(scene.before)).toContain(`${scene.place.file}-wal`);
    for (const attack of [...EVERYTHING, ...ODD])
      expect(await tryOn(scene, "read_query", { query: aim(attack, scene) })).toSatisfy(isRefusal);
    expect((await call(scene, "read_query", { query: "SELECT * FROM child" })).rows).toEqual([[null]]);
  });
});

describe("a schema that may not be changed", () => {
  const scene = stage();

  it.each(CHANGING.filter((sql) => /^(?:CREATE|DROP|ALTER|ANALYZE|REINDEX)/.test(sql)))(
    "stays as it is: %s",
    async (query) => {
      expect(await tryOn(scene, "write_query", { query })).toSatisfy(isRefusal);
      const statements = [{ query: "INSERT INTO child VALUES (NULL)" }, { query }];
      expect(await tryOn(scene, "execute_batch", { statements })).toSatisfy(isRefusal);
      expect(await tryOn(scene, "create_table", { query })).toSatisfy(isRefusal);
    },
  );

  it("lets rows be written, by triggers too", async () => {
    const query = "INSERT INTO innocent VALUES (1)";
    expect((await call(scene, "write_query", { query })).code).toBeUndefined();
    const read = { query: "SELECT count(*) FROM t" };
    expect((await call(scene, "read_query", read)).rows).toEqual([[0]]);
  });
});
