import { inSnapshot } from "../query.ts";
import type { TaskContext } from "../task.ts";

/** Changes with every change of the schema, whoever makes it. */
export const versionTask = (_: unknown, { pool }: TaskContext): number =>
  inSnapshot(pool, (connection) => Number(connection.value("PRAGMA schema_version")));
