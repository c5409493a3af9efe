import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { useDatabases } from "../scratch.ts";

const { scratch, open } = useDatabases();

const ITEMS = `
  CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT);
  INSERT INTO items VALUES (1, 'one'), (2, 'two'), (3, 'three');
`;
const BY_KEY = "SELECT name FROM items WHERE id = ?";

/** Those that come together are answered together once they are known; what they say must not show it. */
describe.each(["a file", "memory"])("many small queries at once, in %s", (place) => {
  const openItems = async (): Promise<ReturnType<typeof open>> => {
    const file = place === "memory" ? ":memory:" : scratch.create("a.db", ITEMS);
    const database = open({ file, mode: "write", allowDdl: true });
    if (place === "memory") {
      for (const sql of ITEMS.split(";").filter((each) => each.trim() !== "")) await database.write({ sql });
    }
    await database.read({ sql: BY_KEY, params: [1] });
    return database;
  };

  it("get each its own answer, failures and long ones among them", async () => {
    const database = await openItems();
    const asked = Array.from({ length: 300 }, (_, at) =>
      at % 50 === 7
        ? database.read({ sql: "SELECT nothing FROM items" })
        : at % 50 === 8
          ? database.read({ sql: BY_KEY, params: [] })
          : at % 50 === 9
            ? database.read({ sql: "SELECT id FROM items", limit: 2 })
            : database.read({ sql: BY_KEY, params: [(at % 4) + 1] }),
    );
    const outcomes = await Promise.allSettled(asked);
    const names = [[["one"]], [["two"]], [["three"]], []];
    for (const [at, outcome] of outcomes.entries()) {
      expect(outcome).toMatchObject(
        at % 50 === 7
          ? { reason: { code: "invalid_input" } }
          : at % 50 === 8
            ? { reason: { code: "invalid_input" } }
            : at % 50 === 9
              ? { value: { rows: [[1], [2]], truncated: true } }
              : { value: { rows: names[at % 4], truncated: false } },
      );
    }
  });

  it("see what was written before they were asked", async () => {
    const database = await openItems();
    for (let round = 0; round < 20; round += 1) {
      const before = Array.from({ length: 5 }, () => database.read({ sql: BY_KEY, params: [1] }));
      const write = database.write({
        sql: "UPDATE items SET name = ? WHERE id = 1",
        params: [`round ${round}`],
      });
      const after = Array.from({ length: 5 }, () => database.read({ sql: BY_KEY, params: [1] }));
      expect((await Promise.all(before)).map(({ rows }) => rows)).toEqual(
        Array.from({ length: 5 }, () => [[round === 0 ? "one" : `round ${round - 1}`]]),
      );
      await write;
      expect((await Promise.all(after)).map(({ rows }) => rows)).toEqual(
        Array.from({ length: 5 }, () => [[`round ${round}`]]),
      );
    }
  });

  it("are looked at anew when the schema is another", async () => {
    const database = await openItems();
    const askTwice = (): Promise<unknown[]> =>
      Promise.allSettled([1, 2].map((id) => database.read({ sql: BY_KEY, params: [id] })));
    expect(await askTwice()).toMatchObject([{ value: { rows: [["one"]] } }, { value: { rows: [["two"]] } }]);
    await database.write({ sql: "ALTER TABLE items RENAME COLUMN name TO title" });
    expect(await askTwice()).toMatchObject([
      { reason: { code: "invalid_input" } },
      { reason: { code: "invalid_input" } },
    ]);
    await database.write({ sql: "ALTER TABLE items RENAME COLUMN title TO name" });
    expect(await askTwice()).toMatchObject([{ value: { rows: [["one"]] } }, { value: { rows: [["two"]] } }]);
  });

  it("leave out those that were cancelled meanwhile", async () => {
    const database = await openItems();
    const calls = Array.from({ length: 100 }, () => new AbortController());
    const asked = calls.map(({ signal }) => database.read({ sql: BY_KEY, params: [1] }, signal));
    // Before an answer comes: the next read would then run, and cancelling that one would end the in-memory database.
    queueMicrotask(() => {
      for (const [at, call] of calls.entries()) if (at % 3 === 1) call.abort();
    });
    const outcomes = (await Promise.allSettled(asked)).map((outcome) =>
      outcome.status === "fulfilled" ? outcome.value.rows : (outcome.reason as { code: string }).code,
    );
    const [kept, cancelled] = [
      outcomes.filter((_, at) => at % 3 !== 1),
      outcomes.filter((_, at) => at % 3 === 1),
    ];
    expect(kept).toEqual(kept.map(() => [["one"]]));
    // Whoever had an answer already keeps it.
    expect(cancelled.filter((outcome) => typeof outcome === "string" && outcome !== "cancelled")).toEqual([]);
    expect(await database.rows(BY_KEY, [2])).toEqual([["two"]]);
  });
});

it("many small queries at once see what another process wrote, and hold nothing that it would wait for", async () => {
  const file = scratch.create("a.db", ITEMS);
  const database = open({ file });
  const other = new Database(file, { timeout: 0 });
  await database.read({ sql: BY_KEY, params: [1] });
  for (let round = 0; round < 20; round += 1) {
    const asked = Array.from({ length: 100 }, () => database.read({ sql: BY_KEY, params: [1] }));
    await Promise.all(asked);
    // In a rollback journal a reader that had stayed would refuse this at once.
    other.prepare("UPDATE items SET name = ? WHERE id = 1").run(`round ${round}`);
    expect(await database.rows(BY_KEY, [1])).toEqual([[`round ${round}`]]);
  }
  other.close();
});

it("many small queries at once are each told that another process has locked everybody out", async () => {
  const file = scratch.create("a.db", ITEMS);
  const database = open({ file, mode: "write", busyTimeoutMs: 20 });
  const ask = (): Promise<unknown> => database.read({ sql: BY_KEY, params: [1] });
  await ask();
  const other = new Database(file);
  other.exec("BEGIN EXCLUSIVE");
  const write = database.write({ sql: "DELETE FROM items" });
  const outcomes = await Promise.allSettled([...Array.from({ length: 5 }, ask), write]);
  expect(outcomes).toMatchObject(
    outcomes.map(() => ({ status: "rejected", reason: { code: "unavailable", retryable: true } })),
  );
  other.exec("ROLLBACK");
  other.close();
  expect(await Promise.all([ask(), ask()])).toMatchObject([{ rows: [["one"]] }, { rows: [["one"]] }]);
});
