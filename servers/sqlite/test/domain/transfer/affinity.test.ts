import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { affinityOf } from "../../../src/domain/transfer/affinity.ts";

const TYPES = [
  "INT INTEGER TINYINT bigint UNSIGNED_BIG_INT INT8 POINT",
  "CHARACTER(20) varchar NCHAR TEXT clob CHARBLOB",
  "BLOB blobby NONE",
  "REAL DOUBLE float FLOATING",
  "NUMERIC DECIMAL(10,5) BOOLEAN DATE DATETIME STRING ANY",
]
  .join(" ")
  .split(" ");

/** What a column makes of the text '12.0' shows its affinity. */
const STORED: { readonly [kept: string]: string } = {
  "integer 12": "INTEGER or NUMERIC",
  "text 12.0": "TEXT or NONE",
  "real 12.0": "REAL",
};

describe("the affinity of a type", () => {
  it.each([...TYPES, ""])("is SQLite's own: %s", (type) => {
    const database = new Database(":memory:");
    database.exec(`CREATE TABLE t (a ${type}); INSERT INTO t VALUES ('12.0')`);
    const kept = database.prepare("SELECT typeof(a) || ' ' || a FROM t").pluck().get() as string;
    expect(STORED[kept]?.split(" or ")).toContain(affinityOf(type, false));
    // Text and nothing differ in what they make of a number.
    database.exec("DELETE FROM t; INSERT INTO t VALUES (12)");
    const isText = database.prepare("SELECT typeof(a) FROM t").pluck().get() === "text";
    expect(affinityOf(type, false) === "TEXT").toBe(isText);
    database.close();
  });

  it("is none for ANY in a strict table", () => {
    expect([affinityOf("ANY", true), affinityOf("any", true), affinityOf("INT", true)]).toEqual([
      "NONE",
      "NONE",
      "INTEGER",
    ]);
  });
});
