import { fork } from "node:child_process";
import { renameSync } from "node:fs";
import Database from "better-sqlite3";
import { afterEach, describe, expect, it } from "vitest";
import { Changes } from "../../src/domain/changes.ts";
import { Databases, type NamedDatabase } from "../../src/domain/databases.ts";
import { WorkerProgram } from "../../src/domain/engine/worker-program.ts";
import { useWorkerProgram } from "./worker-program.ts";
import { unstopped, useScratch } from "./scratch.ts";

const program = useWorkerProgram();
const scratch = useScratch();
const ends: (() => void | Promise<void>)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

function open(file: string): { changes: Changes; database: NamedDatabase } {
  const options = {
    readOnly: false,
    create: false,
    allowDdl: true,
    busyTimeoutMs: 1000,
    memoryBytes: 2 ** 28,
  };
  const databases = new Databases({
    ...options,
    files: [file],
    program: new WorkerProgram(program.url, () => fork),
  });
  const changes = new Changes();
  ends.push(
    () => changes.close(),
    () => databases.dispose(),
  );
  return { changes, database: databases.get(undefined) };
}

async function eventually(holds: () => boolean): Promise<void> {
  const deadline = Date.now() + 10_000;
  while (!holds()) {
    if (Date.now() > deadline) throw new Error("It did not come about");
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

describe.each(["delete", "wal"])("changes in the journal mode %s", (mode) => {
  it("are noticed whoever makes them", async () => {
    const file = scratch.create("a.db", `PRAGMA journal_mode = ${mode}; CREATE TABLE t (a);`);
    const { changes, database } = open(file);
    let count = 0;
    changes.listen(database, () => (count += 1));
    const other = new Database(file);
    ends.push(() => void other.close());
    for (let time = 1; time <= 3; time += 1) {
      other.exec("INSERT INTO t VALUES (1)");
      await eventually(() => count >= time);
    }
    await database.engine.write({ sql: "INSERT INTO t VALUES (2)" }, unstopped());
    changes.wrote(database);
    expect(count).toBeGreaterThanOrEqual(4);
  });

  it("of the schema are told apart from others", async () => {
    const file = scratch.create("a.db", `PRAGMA journal_mode = ${mode}; CREATE TABLE t (a);`);
    const { changes, database } = open(file);
    let [schemas, all] = [0, 0];
    changes.listenToSchema(database, () => (schemas += 1));
    changes.listenToSchema(database, () => (schemas += 100));
    changes.listen(database, () => (all += 1));
    const other = new Database(file);
    ends.push(() => void other.close());
    // The first look is over when a later request is answered.
    await database.engine.task("version", {}, unstopped());
    other.exec("INSERT INTO t VALUES (1)");
    await eventually(() => all > 0);
    await database.engine.task("version", {}, unstopped());
    expect(schemas).toBe(0);
    other.exec("CREATE TABLE u (a)");
    await eventually(() => schemas === 1);
    await database.engine.write({ sql: "DROP TABLE u" }, unstopped());
    changes.wrote(database);
    await eventually(() => schemas === 2);
  });
});

describe("changes", () => {
  it("in memory are noticed when we make them", async () => {
    const { changes, database } = open(":memory:");
    let [count, schemas] = [0, 0];
    changes.listen(database, () => (count += 1));
    changes.listenToSchema(database, () => (schemas += 1));
    await database.engine.write({ sql: "CREATE TABLE t (a)" }, unstopped());
    changes.wrote(database);
    expect(count).toBe(1);
    await eventually(() => schemas === 1);
  });

  it("include another file under the same name, whatever its number", async () => {
    const file = scratch.create("a.db", "CREATE TABLE t (a)");
    const other = scratch.create("b.db", "CREATE TABLE u (a)");
    const { changes, database } = open(file);
    let schemas = 0;
    changes.listenToSchema(database, () => (schemas += 1));
    await database.engine.task("version", {}, unstopped());
    renameSync(other, file);
    await eventually(() => schemas === 1);
    expect(await database.engine.read({ sql: "SELECT * FROM u" }, unstopped())).toMatchObject({ rows: [] });
  });

  it("are no longer told to who has stopped listening, and told to the rest", () => {
    const file = scratch.create("a.db", "CREATE TABLE t (a)");
    const { changes, database } = open(file);
    const heard: string[] = [];
    const tell = (): void => void heard.push("both");
    const stopFirst = changes.listen(database, tell);
    const stopSecond = changes.listen(database, tell);
    const other = new Database(file);
    ends.push(() => void other.close());
    other.exec("INSERT INTO t VALUES (1)");
    changes.look();
    expect(heard.length).toBe(2);
    stopFirst();
    stopFirst();
    other.exec("INSERT INTO t VALUES (1)");
    changes.look();
    expect(heard.length).toBe(3);
    stopSecond();
    other.exec("INSERT INTO t VALUES (1)");
    changes.look();
    expect(heard.length).toBe(3);
    changes.listen(database, tell);
    changes.look();
    expect(heard.length).toBe(3);
  });
});
