import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { callTool, type Fields, type Message, textOf } from "@suite/check/wires";
import { oncePerFile } from "../support/afterwards.ts";
import { errorOf } from "../support/calls.ts";
import { createPlace } from "../support/place.ts";
import type { Wire } from "../support/wire.ts";
import { createDatabase, rowsOf, withDirect } from "./direct.ts";
import { openSqlite } from "./program.ts";
import { STORE, UNDOABLE } from "./undo-steps.ts";
import { itOnUnix } from "../support/programs.ts";

interface Scene {
  readonly folder: string;
  readonly file: string;
}

function createScene(script: string = STORE): Scene {
  const folder = createPlace();
  mkdirSync(join(folder, "files"));
  writeFileSync(join(folder, "files/users.csv"), "id,name,city\r\n7,Eve,Rome\r\n8,Flo,\r\n");
  writeFileSync(
    join(folder, "files/bad.csv"),
    "id,name,city\r\n7,Eve,Rome\r\n1,twice,\r\n9,Bo,\r\n10,Gus,\r\n",
  );
  return { folder, file: createDatabase(join(folder, "store.db"), script) };
}

const argsFor = ({ folder, file }: Scene): readonly string[] => [
  file,
  "--allow-ddl",
  "--exchange",
  join(folder, "files"),
];

const openScene = (scene: Scene, ...args: readonly string[]): Promise<Wire> =>
  openSqlite([...argsFor(scene), ...args]);

/** For tests that change rows of their own. */
const shared = oncePerFile(async () => {
  const scene = createScene();
  return { scene, wire: await openSqlite(argsFor(scene), { keepForFile: true }) };
});

/** The schema, and every row of every table. Numbers of 64 bits and bytes are texts here. */
const stateOf = (file: string): Fields =>
  withDirect(file, (database) => {
    const objects = database
      .prepare("SELECT name, type, sql FROM sqlite_schema WHERE name NOT LIKE 'notes_%' ORDER BY name")
      .raw()
      .all() as string[][];
    const rows = objects.flatMap(([name = "", type, sql]) =>
      type === "table"
        ? [[name, printed(database.prepare(`SELECT * FROM "${name}"`).safeIntegers().raw().all())]]
        : [[`sql ${name}`, sql]],
    );
    return Object.fromEntries([
      ...rows,
      ...objects.map(([name, , sql]) => [`sql of ${name}`, sql]),
    ]) as Fields;
  });

const printed = (rows: unknown): string =>
  JSON.stringify(rows, (_, value: unknown) =>
    typeof value === "bigint" || value === Infinity ? `${typeof value} ${String(value)}` : value,
  );

const structuredOf = (response: Message): Fields => (response.result?.["structuredContent"] ?? {}) as Fields;

async function undo(wire: Wire, args: Fields = { id: "last" }): Promise<Fields> {
  const response = await callTool(wire, "undo", args);
  expect(response.result?.["isError"], textOf(response)).not.toBe(true);
  return structuredOf(response);
}

describe("undo", () => {
  it("puts everything back, and can itself be undone", { timeout: 120_000 }, async () => {
    const scene = createScene();
    const wire = await openScene(scene);
    const before = stateOf(scene.file);
    for (const [tool, args] of UNDOABLE) {
      const about = `${tool} ${JSON.stringify(args)}`;
      const dry = await callTool(wire, tool, { ...args, dry_run: true });
      expect(dry.result?.["isError"], `${about}: ${textOf(dry)}`).not.toBe(true);
      expect(stateOf(scene.file), about).toEqual(before);
      const done = structuredOf(await callTool(wire, tool, args));
      const after = stateOf(scene.file);
      expect(after, about).not.toEqual(before);
      expect(done["undo"], about).toEqual(expect.any(String));
      await undo(wire, { id: "last", dry_run: true });
      expect(stateOf(scene.file), about).toEqual(after);
      const { undo: again } = await undo(wire);
      expect(stateOf(scene.file), about).toEqual(before);
      await undo(wire, { id: again });
      expect(stateOf(scene.file), `again: ${about}`).toEqual(after);
      await undo(wire);
      expect(stateOf(scene.file), `back: ${about}`).toEqual(before);
    }
    expect(withDirect(scene.file, (database) => database.pragma("integrity_check", { simple: true }))).toBe(
      "ok",
    );
    await wire.end();
  });

  it("goes further back each time, in the next process too", async () => {
    const scene = createScene();
    const first = await openScene(scene);
    const states = [stateOf(scene.file)];
    for (const [tool, args] of UNDOABLE.slice(0, 5)) {
      await callTool(first, tool, args);
      states.push(stateOf(scene.file));
    }
    await first.end();
    expect(readdirSync(scene.folder).toSorted()).toEqual(["files", "store.db", "store.db.suite-undo"]);
    expect(statSync(`${scene.file}.suite-undo`).mode).toBe(statSync(scene.file).mode);
    const next = await openScene(scene);
    const { changes } = await undo(next, { limit: 2 });
    expect(changes).toMatchObject([
      {
        tool: "execute_batch",
        summary: "UPDATE swap SET place = 9 WHERE id = 1 (and 2 more)",
        tables: ["swap"],
        rows: 2,
      },
      { tool: "write_query" },
    ]);
    states.pop();
    for (const state of states.toReversed()) {
      await undo(next);
      expect(stateOf(scene.file)).toEqual(state);
    }
    const nothing = await callTool(next, "undo", { id: "last" });
    expect(errorOf(nothing)).toMatchObject({ code: "not_found" });
    const newest = String(((await undo(next, { limit: 1 }))["changes"] as Fields[])[0]?.["id"]);
    expect(textOf(nothing)).toMatch(
      new RegExp(`all that are left were undone\\.\\nTo redo one.* ${newest}\\.`),
    );
    await next.end();
  });

  it("has the memory that it needs, whatever was changed before", { timeout: 120_000 }, async () => {
    const many = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30000)";
    const scene =
      createScene(`CREATE TABLE events (id INTEGER PRIMARY KEY, at TEXT, kind TEXT, n INT, words TEXT);
      INSERT INTO events ${many} SELECT i, 'at ' || i, 'kind', i, printf('%.100c', 'x') FROM n`);
    const wire = await openScene(scene);
    const before = stateOf(scene.file);
    const drop = ["alter_or_drop", { query: "DROP TABLE events" }] as const;
    const update = [
      "write_query",
      { query: "UPDATE events SET kind = kind || n WHERE id <= 20000" },
    ] as const;
    const last = ["undo", { id: "last" }] as const;
    for (const [tool, args] of [drop, last, drop, last, update, update, last, last, drop, last]) {
      const done = await callTool(wire, tool, args);
      expect(done.result?.["isError"], textOf(done)).not.toBe(true);
    }
    expect(stateOf(scene.file)).toEqual(before);
    await wire.end();
  });

  it("says in a dry run what rows are, and what they would be", async () => {
    const { scene, wire } = await shared();
    const shown = async (query: string): Promise<unknown> => {
      await callTool(wire, "write_query", { query });
      const { results } = await undo(wire, { id: "last", dry_run: true });
      return (
        results as readonly { rows: number; sample: { columns: { name: string }[]; rows: unknown } }[]
      ).map(({ rows, sample }) => ({
        rows,
        names: sample.columns.map(({ name }) => name),
        sample: sample.rows,
      }));
    };
    expect(await shown("INSERT INTO swap VALUES (7, 70)")).toEqual([
      { rows: 1, names: ["id before", "place before"], sample: [[7, 70]] },
    ]);
    expect(await shown("UPDATE swap SET place = 71 WHERE id = 7")).toEqual([
      { rows: 1, names: ["id", "place before", "place after"], sample: [[7, 71, 70]] },
    ]);
    expect(await shown("DELETE FROM swap WHERE id = 7")).toEqual([
      { rows: 1, names: ["id after", "place after"], sample: [[7, 71]] },
    ]);
    await undo(wire);
    withDirect(scene.file, (database) => database.exec("UPDATE swap SET place = 99 WHERE id = 7"));
    const { changes } = await undo(wire, { limit: 10 });
    const { id } = (changes as Fields[]).find(({ summary }) => String(summary).startsWith("UPDATE")) ?? {};
    const { results } = await undo(wire, { id, force: true, dry_run: true });
    expect(results).toMatchObject([{ sample: { rows: [[7, 99, 70]] } }]);
  });

  it("overwrites nothing that has changed since, unless it is forced to", async () => {
    const { scene, wire } = await shared();
    const query = "UPDATE users SET city = 'Rome' WHERE id < 3";
    const { undo: id } = structuredOf(await callTool(wire, "write_query", { query }));
    withDirect(scene.file, (database) => database.exec("UPDATE users SET city = 'Oslo' WHERE id = 2"));
    const refused = await callTool(wire, "undo", { id });
    expect(errorOf(refused)).toMatchObject({ code: "conflict", details: { conflicts: ["users id 2"] } });
    expect(textOf(refused)).toMatch(/^Changed since then: users id 2\./);
    expect(rowsOf(scene.file, "SELECT city FROM users WHERE id IN (1, 2)")).toEqual([["Rome"], ["Oslo"]]);
    const { undo: forced } = await undo(wire, { id, force: true });
    expect(rowsOf(scene.file, "SELECT city FROM users WHERE id IN (1, 2)")).toEqual([["London"], [null]]);
    await undo(wire, { id: forced });
    expect(rowsOf(scene.file, "SELECT city FROM users WHERE id IN (1, 2)")).toEqual([["Rome"], ["Oslo"]]);
  });

  it.each([
    [
      "a row that others point to now",
      "INSERT INTO users VALUES (40, 'new', 'x')",
      "INSERT INTO orders (user_id) VALUES (40)",
      /foreign key/,
    ],
    [
      "a value that another row has now",
      "DELETE FROM swap WHERE id = 1",
      "INSERT INTO swap VALUES (9, 1)",
      /^Changed since then: swap id 1 \(UNIQUE/,
    ],
    [
      "a table that was altered",
      "DELETE FROM part WHERE id = 1",
      "ALTER TABLE part ADD COLUMN more",
      /^The table part was altered/,
    ],
    [
      "a table that was filled",
      "CREATE TABLE fresh (a)",
      "INSERT INTO fresh VALUES (1)",
      /^Changed since then: fresh\./,
    ],
    [
      "a table that got an index",
      "CREATE TABLE indexed (a)",
      "CREATE INDEX indexed_a ON indexed (a)",
      /^The index indexed_a has changed/,
    ],
    [
      "a name that was taken",
      "DROP VIEW names",
      "CREATE VIEW names AS SELECT 1",
      /^The view names has changed/,
    ],
  ])("refuses %s", async (_, query, since, words) => {
    const { scene, wire } = await shared();
    const tool = query.startsWith("CREATE")
      ? "create_table"
      : query.startsWith("DROP")
        ? "alter_or_drop"
        : "write_query";
    const done = await callTool(wire, tool, { query });
    expect(done.result?.["isError"], textOf(done)).not.toBe(true);
    withDirect(scene.file, (database) => database.exec(since));
    const before = stateOf(scene.file);
    const refused = await callTool(wire, "undo", { id: "last" });
    expect(textOf(refused)).toMatch(words);
    expect(errorOf(refused)).toMatchObject({ code: "conflict" });
    expect(stateOf(scene.file)).toEqual(before);
  });

  it("passes over no change that cannot be undone, and says so before it happens", async () => {
    const many =
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100001) SELECT i FROM n";
    const scene = createScene(`${STORE} CREATE UNIQUE INDEX log_x ON log (text) WHERE log.text = 'x';`);
    const wire = await openScene(scene);
    const cases = [
      [`INSERT INTO log ${many}`, /it changes more than 100,000 rows/],
      ["INSERT OR REPLACE INTO log VALUES ('x')", /it may replace any row of a large table/],
      ["INSERT INTO log SELECT zeroblob(20000000)", /its rows take more than the 16 MiB that are kept/],
      ["INSERT INTO log VALUES (CAST(x'ff' AS TEXT))", /text that is not UTF-8/],
      ["INSERT INTO notes VALUES ('x')", /it changes a virtual table/],
    ] as const;
    for (const [query, reason] of cases) {
      await callTool(wire, "write_query", { query: "UPDATE users SET city = city || '.' WHERE id = 1" });
      const dry = await callTool(wire, "write_query", { query, dry_run: true });
      expect(textOf(dry)).toMatch(new RegExp(`It could not be undone: .*${reason.source}`));
      const done = await callTool(wire, "write_query", { query });
      expect(textOf(done)).toMatch(new RegExp(`It cannot be undone: .*${reason.source}`));
      const refused = await callTool(wire, "undo", { id: "last" });
      expect(errorOf(refused)).toMatchObject({ code: "unsupported" });
      expect(textOf(refused)).toMatch(
        new RegExp(`^The last change, write_query, cannot be undone: .*${reason.source}`),
      );
      const { changes } = await undo(wire, { limit: 2 });
      expect(changes).toMatchObject([
        { undoable: false, reason: expect.stringMatching(reason) as string },
        {},
      ]);
    }
    await wire.end();
  });

  it("knows that a batch changes a virtual table where it also changes the schema", async () => {
    const { scene, wire } = await shared();
    withDirect(scene.file, (database) => database.exec("INSERT INTO notes VALUES ('a note')"));
    const statements = ["CREATE TABLE z (a)", "DELETE FROM notes"];
    for (const dry_run of [true, false]) {
      const done = await callTool(wire, "execute_batch", { statements, dry_run });
      expect(textOf(done)).toMatch(/be undone: it changes a virtual table/);
    }
    expect(errorOf(await callTool(wire, "undo", { id: "last" }))).toMatchObject({ code: "unsupported" });
  });

  it("keeps nothing with --no-undo", async () => {
    const scene = createScene();
    const wire = await openScene(scene, "--no-undo");
    const done = await callTool(wire, "write_query", { query: "DELETE FROM log" });
    expect(structuredOf(done)).not.toHaveProperty("undo");
    const refused = await callTool(wire, "undo", {});
    expect(refused.error?.message).toMatch(/started with --no-undo/);
    await wire.end();
    expect(existsSync(`${scene.file}.suite-undo`)).toBe(false);
  });

  it("works in memory, and of the schema only where that is allowed", async () => {
    const scene = createScene();
    const designer = await openScene(scene, ":memory:");
    await callTool(designer, "create_table", { query: "CREATE TABLE t (a)", database: "store" });
    const database = "memory";
    await callTool(designer, "create_table", { query: "CREATE TABLE t (a)", database });
    await callTool(designer, "write_query", { query: "INSERT INTO t VALUES (1)", database });
    await undo(designer, { id: "last", database });
    await undo(designer, { id: "last", database });
    expect(textOf(await callTool(designer, "list_tables", { database }))).toMatch(/no tables/);
    await designer.end();
    const writer = await openSqlite([scene.file]);
    expect(errorOf(await callTool(writer, "undo", { id: "last" }))).toMatchObject({
      code: "permission_denied",
    });
    await writer.end();
  });
});

describe("the list of changes", () => {
  const CHANGE = { query: "UPDATE users SET city = 'Rome'" };

  it("is not that of a database which was removed, whatever number the next file gets, or copied", async () => {
    const [{ file }, own, other] = [createScene(), createScene(), createScene()];
    const first = await openSqlite([`removed=${file}`, `own=${own.file}`]);
    for (const database of ["removed", "own"]) await callTool(first, "write_query", { ...CHANGE, database });
    await first.end();
    const { ino } = statSync(file);
    // Files of the same size, made at once, usually get the numbers of those that were removed.
    let made = 0;
    do {
      rmSync(file);
      createDatabase(file, STORE);
      made += 1;
    } while (statSync(file).ino !== ino && made < 20);
    renameSync(`${own.file}.suite-undo`, `${other.file}.suite-undo`);
    const next = await openSqlite([`removed=${file}`, `other=${other.file}`]);
    for (const database of ["removed", "other"])
      expect.soft(await undo(next, { database }), database).toMatchObject({ changes: [] });
    await callTool(next, "write_query", { ...CHANGE, database: "other" });
    expect((await undo(next, { database: "other" }))["changes"]).toHaveLength(1);
    await next.end();
  });

  itOnUnix("may be read by those who may read the database, and by nobody else", async () => {
    const [mine, ours] = [createScene().file, createScene().file];
    for (const file of [mine, ours]) {
      writeFileSync(`${file}.suite-undo`, "");
      chmodSync(`${file}.suite-undo`, 0o666);
      chmodSync(file, file === mine ? 0o600 : 0o640);
    }
    const wire = await openSqlite([`mine=${mine}`, `ours=${ours}`]);
    for (const database of ["mine", "ours"]) await callTool(wire, "write_query", { ...CHANGE, database });
    const modes = [mine, ours].map((file) => statSync(`${file}.suite-undo`).mode & 0o777);
    expect(modes).toEqual([0o600, 0o640]);
  });

  const SPOILT: readonly (readonly [database: string, spoil: (file: string) => void])[] = [
    ["damaged", (file) => writeFileSync(file, "SQLite format 3\0 and no more")],
    ["something_else", (file) => writeFileSync(file, "x".repeat(5000))],
    [
      "a_link_to_another_file",
      (file) => {
        writeFileSync(`${file}.other`, "other", { mode: 0o600 });
        linkSync(`${file}.other`, file);
      },
    ],
    [
      "a_query_that_runs_on",
      (file) => {
        const endless =
          "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r) SELECT i AS id FROM r WHERE i < 0";
        createDatabase(file, `CREATE VIEW change AS ${endless}`);
      },
    ],
  ];
  const sharedSpoilt = oncePerFile(async () => {
    const files = new Map(SPOILT.map(([database]) => [database, createScene().file]));
    for (const [database, spoil] of SPOILT) spoil(`${files.get(database)}.suite-undo`);
    const args = Array.from(files, ([database, file]) => `${database}=${file}`);
    return { files, wire: await openSqlite(args, { keepForFile: true }) };
  });

  it.each(SPOILT)("is begun anew where it is %s", async (database) => {
    const { files, wire } = await sharedSpoilt();
    const file = files.get(database) ?? "";
    await callTool(wire, "write_query", { ...CHANGE, database });
    expect((await undo(wire, { database }))["changes"]).toHaveLength(1);
    await undo(wire, { id: "last", database });
    expect(rowsOf(file, "SELECT city FROM users WHERE id = 1")).toEqual([["London"]]);
    const linked = `${file}.suite-undo.other`;
    if (!existsSync(linked)) return;
    expect(readFileSync(linked, "utf8")).toBe("other");
    expect(statSync(linked).mode & 0o777).toBe(0o600);
  });

  it("and the recording cannot be reached by SQL or files", async () => {
    const { scene, wire } = await shared();
    await callTool(wire, "write_query", CHANGE);
    const before = stateOf(scene.file);
    for (const [tool, args] of [
      ["write_query", { query: "INSERT INTO log SELECT suite_undo(1, 0, 5, 'x', 'y')" }],
      ["write_query", { query: "INSERT INTO log SELECT sql FROM sqlite_temp_schema" }],
      ["write_query", { query: "DELETE FROM sqlite_temp_schema" }],
      ["read_query", { query: "SELECT suite_undo(1)" }],
      ["create_table", { query: "CREATE TABLE x AS SELECT suite_undo(1, 0, 1) AS a" }],
      ["alter_or_drop", { query: "DROP TRIGGER temp.suite_undo_1_after_update" }],
      ["export_data", { path: "../store.db.suite-undo", query: "SELECT 1", overwrite: true }],
    ] as const) {
      const response = await callTool(wire, tool, args);
      expect.soft(response.result?.["isError"], `${JSON.stringify(args)}: ${textOf(response)}`).toBe(true);
    }
    const { rows } = structuredOf(
      await callTool(wire, "read_query", { query: "SELECT name FROM sqlite_temp_schema" }),
    );
    expect(rows ?? []).toEqual([]);
    await callTool(wire, "create_table", {
      query: "CREATE TRIGGER caller AFTER INSERT ON log BEGIN SELECT suite_undo(1, 0, 5, 'x', 'y'); END",
    });
    const called = await callTool(wire, "write_query", { query: "INSERT INTO log VALUES (1)" });
    expect(textOf(called)).toMatch(/unsafe use of suite_undo/);
    await undo(wire);
    expect(stateOf(scene.file)).toEqual(before);
    await undo(wire);
    expect(rowsOf(scene.file, "SELECT city FROM users WHERE id = 3")).toEqual([[""]]);
  });
});
