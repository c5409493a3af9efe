import { Fault } from "@suite/server-kit/domain";
import { DatabaseConnection } from "../connection.ts";
import { closeSnapshot, openSnapshot } from "../query.ts";
import type { TaskContext } from "../task.ts";
import type { BackupArgs } from "../../protocol/tasks.ts";

const PAGES_A_STEP = 1000;

/** Copies the whole database while others read and write. */
export async function backupTask({ to }: BackupArgs, { pool, progress }: TaskContext): Promise<number> {
  // Held until copying has begun: better-sqlite3 would take a database that is locked then for an empty one.
  const connection = openSnapshot(pool);
  try {
    const isLogged = connection.value("PRAGMA journal_mode") === "wal";
    const { totalPages } = await connection.handle.backup(to, {
      progress: ({ totalPages: total, remainingPages }) => {
        // In WAL mode a snapshot blocks nobody. In other modes it would block writers; without it, a write restarts the copy.
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

/** Findings about rows that violate a constraint, which is not damage. */
const CONTENT = /^(?:[\w-]+ value in |CHECK constraint failed in )/;

/** Copying does not check what is on the pages. */
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
