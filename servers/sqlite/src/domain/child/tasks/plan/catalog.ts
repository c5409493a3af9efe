import type { Connection } from "../../connection.ts";
import { foreignKeysOf, indexesOf } from "../keys.ts";
import { findTable } from "../objects.ts";

/** What of the schema is needed to advise on indexes. Names are found in any case, and given as the schema spells them. */
export interface Catalog {
  readonly tableOf: (name: string) => string | undefined;
  readonly columnOf: (table: string, name: string) => string | undefined;
  /** Whether the column is the key that the table is ordered by anyway. */
  readonly isKey: (table: string, column: string) => boolean;
  /** Whether an index begins with these columns, in whatever order. */
  readonly isIndexed: (table: string, columns: readonly string[]) => boolean;
  /** The columns of each foreign key of the table that points to one of `targets`. */
  readonly keysTo: (table: string, targets: ReadonlySet<string>) => readonly (readonly string[])[];
}

export function createCatalog(connection: Connection): Catalog {
  const columns = new Map<string, readonly ColumnFacts[]>();
  const columnsOf = (table: string): readonly ColumnFacts[] => {
    const known = columns.get(table) ?? readColumns(connection, table);
    columns.set(table, known);
    return known;
  };
  return {
    tableOf(name) {
      const found = findTable(connection, name);
      return found?.kind === "table" ? found.name : undefined;
    },
    columnOf: (table, name) =>
      columnsOf(table).find((column) => column.name.toLowerCase() === name.toLowerCase())?.name,
    isKey(table, column) {
      const keys = columnsOf(table).filter(({ isPrimary }) => isPrimary);
      return keys.length === 1 && keys[0]?.name === column;
    },
    isIndexed: (table, wanted) =>
      indexesOf(connection, table).some(
        ({ partial, columns: indexed }) =>
          !partial && wanted.every((column) => indexed.slice(0, wanted.length).includes(column)),
      ),
    keysTo: (table, targets) =>
      foreignKeysOf(connection, table)
        .filter((key) => targets.has(key.table.toLowerCase()))
        .map((key) => key.columns),
  };
}

interface ColumnFacts {
  readonly name: string;
  readonly isPrimary: boolean;
}

const readColumns = (connection: Connection, table: string): ColumnFacts[] =>
  connection
    .own("SELECT name, pk FROM pragma_table_xinfo(?)")
    .all(table)
    .map(([name, key]) => ({ name: String(name), isPrimary: Number(key) > 0 }));
