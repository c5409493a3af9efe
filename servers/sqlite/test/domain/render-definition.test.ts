import { describe, expect, it } from "vitest";
import { renderDefinition } from "../../src/domain/render-definition.ts";

const NOTHING = { indexes: [], foreign_keys: [], triggers: [] };

describe("a definition", () => {
  it("is told in a few lines", () => {
    const text = renderDefinition({
      name: "orders",
      rows: 10_000,
      more: true,
      columns: [
        { name: "id", type: "INTEGER", primary_key: 1 },
        { name: "user_id", type: "INT", not_null: true, default: "0" },
        { name: "total", type: "REAL", generated: "stored" },
      ],
      indexes: [{ name: "i", unique: true, partial: true, columns: ["total", null] }],
      foreign_keys: [
        {
          columns: ["user_id"],
          table: "users",
          references: [],
          on_update: "NO ACTION",
          on_delete: "CASCADE",
        },
      ],
      checks: ["total > 0"],
      triggers: [{ name: "audit", sql: "CREATE TRIGGER audit …" }],
    });
    expect(text).toBe(
      [
        "orders (10000+ rows)",
        "  id INTEGER primary key",
        "  user_id INT not null default 0",
        "  total REAL generated stored",
        "check (total > 0)",
        "index i unique partial (total, expression)",
        "foreign key (user_id) -> users (primary key), on delete cascade",
        "CREATE TRIGGER audit …",
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
