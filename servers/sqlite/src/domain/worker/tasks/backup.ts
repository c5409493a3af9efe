import { Fault } from "@suite/server-kit/domain";
import { DatabaseConnection } from "../connection.ts";
import { closeSnapshot, openSnapshot } from "../query.ts";
import type { TaskContext } from "../task.ts";

export interface BackupArgs {
  readonly to: string;
}

const PAGES_A_STEP = 1000;

/** A whole copy while others go on reading and writing. */
export async function backupTask({ to }: BackupArgs, { pool, progress }: TaskContext): Promise<number> {
  // Held until the copying has begun: better-sqlite3 takes a database that is locked by then for an empty one.
  const connection = openSnapshot(pool);
  try {
    const isLogged = connection.value("PRAGMA journal_mode") === "wal";
    const { totalPages } = await connection.handle.backup(to, {
      progress: ({ totalPages: total, remainingPages }) => {
        // Beside a log nobody waits for a snapshot. Elsewhere it would keep writers out, so a write makes the copy begin anew.
        if (!isLogged) connection.end("COMMIT");
        progress({ done: total - remainingPages, total, message: "pages" });
        return PAGES_A_STEP;
      },
    });
    requireSound(to);
    return totalPages;
  } finally {
    closeSnapshot(pool, connection);
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
