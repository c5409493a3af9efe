import { describe, expect, it } from "vitest";
import type { ColumnProfile, Profile, ProfileArgs } from "../../../../src/domain/protocol/tasks.ts";
import { unstopped, useLocalDatabases } from "../../scratch.ts";

const { scratch, open } = useLocalDatabases();

let files = 0;

async function profile(script: string, args: ProfileArgs): Promise<Profile> {
  const database = open({ file: scratch.create(`${(files += 1)}.db`, script) });
  return database.task("profile", args);
}

const profileColumn = async (values: string, type = ""): Promise<ColumnProfile | undefined> =>
  (await profile(`CREATE TABLE t (c ${type}); INSERT INTO t VALUES ${values};`, { table: "t" })).columns[0];

describe("a profile", () => {
  it("of numbers has their mean and how they are spread", async () => {
    const found = await profileColumn("(0), (1), (2), (3), (9), (10), (NULL), (10)", "INT");
    expect(found).toMatchObject({
      column: "c",
      nulls: 1,
      distinct: 6,
      types: { integer: 7 },
      min: 0,
      max: 10,
      mean: 5,
    });
    expect(found?.histogram).toEqual({ from: 0, to: 10, counts: [1, 1, 1, 1, 0, 0, 0, 0, 0, 3] });
    expect(found?.top[0]).toEqual({ value: 10, count: 2 });
  });

  it("of a column with a bit of everything keeps it apart", async () => {
    const found = await profileColumn("(1), ('1'), (2.5), ('b'), ('b'), (x'00'), (NULL), ('')");
    expect(found).toEqual({
      column: "c",
      nulls: 1,
      distinct: 6,
      types: { blob: 1, integer: 1, real: 1, text: 4 },
      min: 1,
      max: { $blob: "AA==", bytes: 1 },
      mean: 1.75,
      histogram: expect.any(Object),
      top: [
        { value: "b", count: 2 },
        { value: 1, count: 1 },
        { value: 2.5, count: 1 },
        { value: "", count: 1 },
        { value: "1", count: 1 },
      ],
    });
    expect(found?.histogram?.counts).toEqual([1, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
  });

  it("of text that reads like numbers is one of text", async () => {
    const found = await profileColumn("('10'), ('9'), ('1e3')", "TEXT");
    expect(found).toMatchObject({ types: { text: 3 }, min: "10", max: "9" });
    expect(found).not.toHaveProperty("mean");
    expect(found).not.toHaveProperty("histogram");
  });

  it("of values beyond all others can still be told in JSON", async () => {
    const infinite = await profileColumn("(9e999), (1), (-9e999)");
    expect(infinite).toMatchObject({ min: { $real: "-Infinity" }, max: { $real: "Infinity" } });
    expect(infinite).not.toHaveProperty("mean");
    expect(infinite).not.toHaveProperty("histogram");
    expect(await profileColumn("(9223372036854775807), (-9223372036854775808)")).toMatchObject({
      min: { $int: "-9223372036854775808" },
      histogram: expect.any(Object),
    });
    expect(await profileColumn("(9e999), (1)")).not.toHaveProperty("mean");
    expect(await profileColumn("(1e308), (-1e308)")).not.toHaveProperty("histogram");
    expect(await profileColumn("(5), (5)")).not.toHaveProperty("histogram");
    expect(await profileColumn("(NULL)")).toMatchObject({
      nulls: 1,
      distinct: 0,
      types: {},
      min: null,
      max: null,
      top: [],
    });
  });

  it("counts every number in one of its buckets", async () => {
    const script = `CREATE TABLE t (c); INSERT INTO t WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 5000)
      SELECT (random() % 1000) / 7.0 FROM r;`;
    const [column] = (await profile(script, { table: "t" })).columns;
    expect(column?.histogram?.counts.reduce((sum, count) => sum + count, 0)).toBe(5000);
  });

  it("has the columns that are wanted, generated ones too, and as many as fit", async () => {
    const names = Array.from({ length: 120 }, (_, at) => `c${at}`).join(", ");
    const script = `CREATE TABLE t (${names}, g AS (c0 * 2)); INSERT INTO t (c0) VALUES (2);`;
    const whole = await profile(script, { table: "t" });
    expect([whole.columns.length, whole.truncated]).toEqual([100, true]);
    const database = open({ file: scratch.path(`${files}.db`) });
    expect(await database.task("profile", { table: "T", columns: ["G", "c0"] })).toMatchObject({
      table: "t",
      rows: 1,
      truncated: false,
      columns: [
        { column: "g", max: 4 },
        { column: "c0", max: 2 },
      ],
    });
    await expect(database.task("profile", { table: "t", columns: ["c1x"] })).rejects.toMatchObject({
      code: "not_found",
      hint: expect.stringContaining("c1") as string,
    });
  });

  it("reports how far it is", async () => {
    const database = open({ file: scratch.create("a.db", "CREATE TABLE t (a, b)") });
    const seen: unknown[] = [];
    await database.task("profile", { table: "t" }, unstopped(), {
      isLong: true,
      onProgress: (one) => void seen.push(one),
    });
    expect(seen).toEqual([
      { done: 0, total: 2, message: "a" },
      { done: 1, total: 2, message: "b" },
    ]);
  });
});
