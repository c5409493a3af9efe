import { ExitError, requireDirectory } from "@suite/server-kit/program";

import { DatabaseSetupError, type FileRules, locateDatabase } from "./domain/database-file.ts";
import { splitName } from "./domain/database-name.ts";

interface Setup extends FileRules {
  readonly files: readonly string[];
  readonly dbPath: readonly string[];
  readonly exchange: readonly string[];
}

/** Before anybody is answered: a host shows why a program ended, and nothing of one that fails later. */
export function checkSetup({ files, dbPath, exchange, ...rules }: Setup): void {
  asSetup(() => {
    for (const given of [...files, ...dbPath]) locateDatabase(splitName(given).path, rules);
  });
  for (const directory of exchange) requireDirectory(directory, "--exchange");
}

/** What the operator has to put right ends the program, with words on how. */
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
