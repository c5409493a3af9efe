import { ExitError } from "@suite/server-kit/program";

import { DatabaseSetupError, type FileRules, locateDatabase } from "./domain/database-file.ts";
import { splitName } from "./domain/database-name.ts";

/** Before anybody is answered: a host shows why a program ended, and nothing of one that fails later. */
export function checkFiles(files: readonly string[], rules: FileRules): void {
  asSetup(() => {
    for (const given of files) locateDatabase(splitName(given).path, rules);
  });
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
