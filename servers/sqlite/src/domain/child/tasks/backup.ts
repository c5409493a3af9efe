import type { TaskContext } from "../task.ts";

export interface BackupArgs {
  readonly to: string;
}

const PAGES_A_STEP = 1000;

/** A whole copy while others go on reading and writing. */
export async function backupTask({ to }: BackupArgs, { session, progress }: TaskContext): Promise<number> {
  const connection = session.takeReader();
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
    return totalPages;
  } finally {
    connection.end("COMMIT");
    session.giveBack(connection);
  }
}
