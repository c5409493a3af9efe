import type { Connection, Row } from "../connection.ts";

export interface IndexInfo {
  readonly name: string;
  readonly unique?: true;
  readonly partial?: true;
  /** null for an expression. */
  readonly columns: readonly (string | null)[];
}

export interface ForeignKey {
  readonly columns: readonly string[];
  readonly table: string;
  /** Empty: its primary key. */
  readonly references: readonly string[];
  readonly on_update: string;
  readonly on_delete: string;
}

export function indexesOf(connection: Connection, table: string): IndexInfo[] {
  const list = connection
    .own('SELECT name, "unique", partial FROM pragma_index_list(?) ORDER BY seq')
    .all(table);
  return list.map(([name, unique, partial]) => ({
    name: String(name),
    ...(unique ? { unique: true } : {}),
    ...(partial ? { partial: true } : {}),
    columns: connection
      .own("SELECT name FROM pragma_index_info(?) ORDER BY seqno")
      .all(String(name))
      .map(([column]) => (typeof column === "string" ? column : null)),
  }));
}

export function foreignKeysOf(connection: Connection, table: string): ForeignKey[] {
  const rows = connection
    .own(
      'SELECT id, "table", "from", "to", on_update, on_delete FROM pragma_foreign_key_list(?) ORDER BY id, seq',
    )
    .all(table);
  const byId = new Map<string, Row[]>();
  for (const row of rows) byId.set(String(row[0]), [...(byId.get(String(row[0])) ?? []), row]);
  return [...byId.values()].map((group) => ({
    columns: group.map((row) => String(row[2])),
    table: String(group[0]?.[1]),
    references: group.flatMap((row) => (row[3] === null ? [] : [String(row[3])])),
    on_update: String(group[0]?.[4]),
    on_delete: String(group[0]?.[5]),
  }));
}
