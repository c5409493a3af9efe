import type { Format } from "../../../../src/domain/transfer/format.ts";
import { readRecords } from "../../../../src/domain/transfer/read-records.ts";
import type { ExportArgs, Exported, Imported } from "../../../../src/domain/protocol/tasks.ts";
import { type OpenedDatabase, unstopped } from "../../scratch.ts";
import { inPieces } from "../../transfer/pieces.ts";

export async function exportAll(
  database: OpenedDatabase,
  from: ExportArgs["from"],
  format: Format,
): Promise<Exported & { text: string }> {
  let text = "";
  const onChunk = (chunk: string): void => void (text += chunk);
  const done = await database.task("export", { from, format }, unstopped(), { isLong: true, onChunk });
  return { ...done, text };
}

export async function importAll(
  database: OpenedDatabase,
  table: string,
  format: "csv" | "jsonl",
  text: string,
  { dryRun = false, skipBad = false }: { readonly dryRun?: boolean; readonly skipBad?: boolean } = {},
): Promise<Imported> {
  const options = { writes: true, isLong: true, input: readRecords(inPieces([text]), { format, skipBad }) };
  const args = { table, dryRun, skipBad, decimal: "." as const };
  return database.task("import", args, unstopped(), options);
}
