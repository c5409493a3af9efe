import { accessSync, constants, statSync } from "node:fs";
import { basename } from "node:path";
import { Fault } from "@suite/server-kit/domain";
import type { OpenOptions } from "../protocol.ts";

/** SQLite says "unable to open database file" whatever the reason; the file system knows better. */
export function explainOpenFailure(thrown: unknown, { file, mode }: OpenOptions): unknown {
  if (thrown instanceof Fault) return thrown;
  // better-sqlite3 has an error of its own, without a code, for a missing directory.
  const { code = "SQLITE_CANTOPEN" } = thrown as { code?: string };
  if (!/^(SQLITE_CANTOPEN|SQLITE_IOERR|E[A-Z]+$)/.test(code)) return thrown;
  const name = basename(file);
  const wanted = mode === "read" ? constants.R_OK : constants.R_OK | constants.W_OK;
  try {
    if (statSync(file).isDirectory())
      return new Fault("invalid_input", `${name} is a directory, not a database.`);
    accessSync(file, wanted);
  } catch (failure) {
    const reason = (failure as { code?: unknown }).code;
    if (reason === "ENOENT" || reason === "ENOTDIR") {
      return new Fault("not_found", `The database file ${name} does not exist.`, {
        hint: "The operator creates it with --create.",
      });
    }
    return new Fault(
      "permission_denied",
      `The database file ${name} may not be ${mode === "read" ? "read" : "written"}.`,
    );
  }
  if (!code.startsWith("SQLITE_CANTOPEN")) return thrown;
  return new Fault("unavailable", `The database file ${name} cannot be opened.`, {
    retryable: false,
    hint: "A database in WAL mode needs files beside it: its directory must be writable, or the -wal and -shm files there.",
    cause: thrown,
  });
}
