import { Fault, suggest } from "@suite/server-kit/domain";
import { cite, citeAll } from "../../values/cite.ts";
import type { DatabaseConnection } from "../connection.ts";
import { type Affinity, affinityOf, toLower } from "../../transfer/field.ts";

export interface TableColumn {
  readonly name: string;
  /** As declared. */
  readonly type: string;
  readonly affinity: Affinity;
  /** Computed from other columns: cannot be written. */
  readonly isGenerated: boolean;
  /** Omitted, it does not become NULL. */
  readonly hasDefault: boolean;
}

const GENERATED = new Set(["2", "3"]);

/** The columns of a table or view, without hidden ones of virtual tables. */
export function columnsOf(connection: DatabaseConnection, table: string): readonly TableColumn[] {
  const isStrict = Boolean(
    connection.value("SELECT strict FROM temp.pragma_table_list WHERE schema = 'main' AND name = ?", table),
  );
  return connection
    .own("SELECT name, type, hidden, dflt_value FROM temp.pragma_table_xinfo(?) WHERE hidden <> 1")
    .all(table)
    .map(([name, type, hidden, value]) => ({
      name: String(name),
      type: String(type),
      affinity: affinityOf(String(type), isStrict),
      isGenerated: GENERATED.has(String(hidden)),
      hasDefault: value !== null,
    }));
}

export type ColumnChooser = (wanted: readonly string[]) => readonly TableColumn[];

/** Finds the columns with these names, or throws. */
export function chooserOf(table: string, known: readonly TableColumn[]): ColumnChooser {
  const names = known.map(({ name }) => name);
  // Each line of JSON may name others of very many columns.
  const byName = new Map(known.map((column) => [toLower(column.name), column]));
  const byPlainName = new Map<string, TableColumn | undefined>();
  for (const column of known) {
    const plain = toPlain(column.name);
    byPlainName.set(plain, byPlainName.has(plain) ? undefined : column);
  }
  return (wanted) =>
    wanted.map((given) => {
      const found =
        // First as given: spaces around a name usually come from the file, but a column may have them.
        byName.get(toLower(given)) ??
        byName.get(toLower(given.trim())) ??
        // `Unit price` in a file is unit_price in the table, if no other column is like it.
        byPlainName.get(toPlain(given));
      if (found) return found;
      const short = given.slice(0, 100);
      const meant = suggest(short, names);
      throw new Fault("not_found", `${cite(table)} has no column ${JSON.stringify(short)}.`, {
        hint: meant === undefined ? `It has: ${citeAll(names, 50)}.` : `Did you mean ${cite(meant)}?`,
      });
    });
}

/** Other characters stay, as they may distinguish names: `C` and `C#`. */
const toPlain = (name: string): string => name.toLowerCase().replaceAll(/[\s_.-]+/g, "");
