import type { SelectableTool } from "@suite/server-kit";
import { ExitError, requireDirectory } from "@suite/server-kit/program";

import { DatabaseSetupError, type FileRules, locateDatabase, splitName } from "./domain/database-file.ts";

interface Setup extends FileRules {
  readonly files: readonly string[];
  readonly dbPath: readonly string[];
  readonly exchange: readonly string[];
}

/** Runs before the first answer: hosts show why a program exited at startup, but not why it failed later. */
export function checkSetup({ files, dbPath, exchange, ...rules }: Setup): void {
  asSetup(() => {
    for (const given of [...files, ...dbPath]) locateDatabase(splitName(given).path, rules);
  });
  for (const directory of exchange) requireDirectory(directory, "--exchange");
}

/** Why a tool is not listed: one that cannot work would only cost tokens. */
export function whyUnavailable(
  { name, group }: SelectableTool,
  {
    files,
    dbPath,
    exchange,
    allowDdl,
    noUndo,
    ...rules
  }: Setup & { readonly allowDdl: boolean; readonly noUndo: boolean },
): string | undefined {
  if (group === "files" && exchange.length === 0) return "this server was started without --exchange";
  if (group === "schema" && !allowDdl) return "this server was started without --allow-ddl";
  if (name === "undo" && noUndo) return "this server was started with --no-undo";
  if (group !== "write" && group !== "schema" && name !== "import_data") return undefined;
  const modes = [...files, ...dbPath].map((given) => locateDatabase(splitName(given).path, rules).mode);
  const isReadOnly = modes.length > 0 && modes.every((mode) => mode === "read");
  return isReadOnly ? "no database is writable" : undefined;
}

/** Errors that the operator must fix end the program, with an explanation. */
export function asSetup<T>(make: () => T): T {
  try {
    return make();
  } catch (thrown) {
    if (thrown instanceof ExitError) throw thrown;
    throw new ExitError("configuration", thrown instanceof Error ? thrown.message : String(thrown), {
      ...(thrown instanceof DatabaseSetupError && { hint: thrown.hint }),
      cause: thrown,
    });
  }
}
