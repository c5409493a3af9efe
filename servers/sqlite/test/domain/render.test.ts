import { describe, expect, it } from "vitest";
import { renderCell, renderDefinition, renderTable } from "../../src/domain/render.ts";
import type { Cell } from "../../src/domain/values/cell.ts";

describe("a cell", () => {
  it.each<readonly [Cell, string]>([
    [null, "NULL"],
    ["NULL", '"NULL"'],
    ["", '""'],
    [" ", '" "'],
    ["null", "null"],
    [0, "0"],
    [-1.5, "-1.5"],
    ["0", '"0"'],
    ["-1.5", '"-1.5"'],
    [".5", '".5"'],
    ["1 apple", '"1 apple"'],
    [{ $int: "9223372036854775807" }, "9223372036854775807"],
    [{ $real: "-Infinity" }, "-Infinity"],
    ["-Infinity", '"-Infinity"'],
    ["(blob of 9 bytes: AQID…)", '"(blob of 9 bytes: AQID…)"'],
    [{ $blob: "AQID", bytes: 3 }, '{"$blob":"AQID"}'],
    [{ $blob: "AQID", bytes: 9, truncated: true }, "(blob of 9 bytes: AQID…)"],
    [{ $escaped: "\\u{200B}" }, '{"$escaped":"\\\\u{200B}"}'],
    ['{"$blob":"AQID"}', '"{\\"$blob\\":\\"AQID\\"}"'],
    ["a|b\\c\nd\re", "a\\|b\\\\c\\nd\\re"],
    ['say "x"', 'say "x"'],
    ['"x"… (9 bytes)', '"\\"x\\"… (9 bytes)"'],
    [{ $text: "x", bytes: 9, truncated: true }, '"x"… (9 bytes)'],
  ])("%j reads %s", (cell, text) => {
    expect(renderCell(cell)).toBe(text);
  });
});

describe("a table", () => {
  it("has a line of names, and one for each row", () => {
    const columns = ["a|b", "c"].map((name) => ({ name, type: null }));
    expect(
      renderTable({
        columns,
        rows: [
          [1, null],
          ["x", ""],
        ],
      }),
    ).toBe('a\\|b | c\n1 | NULL\nx | ""');
  });
});

const NOTHING = { indexes: [], foreign_keys: [], triggers: [] };

describe("a definition", () => {
  it("is told in a few lines", () => {
    const text = renderDefinition({
      name: "orders",
      rows: 10_000,
      more: true,
      options: "STRICT",
      columns: [
        { name: "id", type: "INTEGER", primary_key: 1 },
        { name: "user_id", type: "INT", primary_key: 2, not_null: true, default: "0" },
        { name: "total", type: "REAL", generated: "(a\n+ 1) stored" },
        { name: "code", type: "TEXT", collate: "NOCASE" },
      ],
      indexes: [
        { name: "i", unique: true, columns: ["total DESC", "lower(code)"], where: "a\n> 0" },
        { unique: true, columns: ["code"] },
      ],
      foreign_keys: [
        {
          columns: ["user_id"],
          table: "users",
          on_delete: "CASCADE",
        },
        { columns: ["id"], table: "orders", references: ["id"], on_update: "SET NULL" },
      ],
      checks: ["total > 0"],
      triggers: [{ name: "audit", sql: "CREATE TRIGGER audit … old.a || '\\'\nEND" }],
    });
    expect(text).toBe(
      [
        "orders (10000+ rows) STRICT",
        "  id INTEGER primary key 1",
        "  user_id INT primary key 2 not null default 0",
        "  total REAL generated (a\\n+ 1) stored",
        "  code TEXT collate NOCASE",
        "check (total > 0)",
        "index i unique (total DESC, lower(code)) where a\\n> 0",
        "unique (code)",
        "foreign key (user_id) -> users (primary key), on delete cascade",
        "foreign key (id) -> orders (id), on update set null",
        String.raw`CREATE TRIGGER audit … old.a || '\\'\nEND`,
      ].join("\n"),
    );
  });

  it("keeps names from making lines of their own", () => {
    const columns = [{ name: "a\nindex fake (b)", type: "" }];
    expect(renderDefinition({ ...NOTHING, name: "t\nu", columns })).toBe("t\\nu\n  a\\nindex fake (b)");
  });

  it("says what is broken", () => {
    expect(renderDefinition({ ...NOTHING, name: "v", columns: [], broken: "no such table: t" })).toBe(
      "v\ncannot be used: no such table: t",
    );
  });
});
