import { Fault } from "@suite/server-kit/domain";
import { DatabaseConnection } from "../connection.ts";
import type { TaskContext } from "../task.ts";

export interface BackupArgs {
  readonly to: string;
}

const PAGES_A_STEP = 1000;

/** A whole copy while others go on reading and writing. */
export async function backupTask({ to }: BackupArgs, { pool, progress }: TaskContext): Promise<number> {
  const connection = pool.takeReader();
  try {
    connection.assertSettings("read");
    // Nobody waits for a snapshot there. Elsewhere it would keep writers out, so a write makes the copy begin anew.
    if (connection.value("PRAGMA journal_mode") === "wal") connection.begin("DEFERRED");
    const { totalPages } = await connection.handle.backup(to, {
      progress: ({ totalPages: total, remainingPages }) => {
        progress({ done: total - remainingPages, total, message: "pages" });
        return PAGES_A_STEP;
      },
    });
    // Where the database stays locked, better-sqlite3 ends as if there had been nothing to copy.
    if (totalPages === 0 && Number(connection.value("PRAGMA page_count")) > 0)
      throw Object.assign(new Error("database is locked"), { code: "SQLITE_BUSY" });
    requireSound(to);
    return totalPages;
  } finally {
    connection.end("COMMIT");
    pool.giveBack(connection);
  }
}

/** Rows that a constraint would refuse today, which is not damage. */
const CONTENT = /^(?:[\w-]+ value in |CHECK constraint failed in )/;

/** Pages are copied without a look at what is on them. */
function requireSound(file: string): void {
  const copy = new DatabaseConnection(file, "read", 0, false);
  try {
    const findings = copy
      .own("PRAGMA quick_check")
      .all()
      .map(([finding]) => String(finding));
    const damage = findings.find((finding) => finding !== "ok" && !CONTENT.test(finding));
    if (damage === undefined) return;
    throw new Fault("unavailable", `The database is damaged, so no copy was kept: ${damage}`, {
      retryable: false,
      hint: "Restore an older backup, or recover what can be read with the .recover command of the sqlite3 shell.",
    });
  } finally {
    copy.close();
  }
}
