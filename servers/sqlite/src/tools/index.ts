import type { ToolDefinition } from "@suite/server-kit";

import type { SqliteState } from "../state.ts";
import { appendInsight } from "./append-insight.ts";
import { backupDatabase } from "./backup-database.ts";
import { alterOrDrop, createTable } from "./create-table.ts";
import { describeTable } from "./describe-table.ts";
import { executeBatch } from "./execute-batch.ts";
import { explainQuery } from "./explain-query.ts";
import { exportData } from "./export-data.ts";
import { importData } from "./import-data.ts";
import { listTables } from "./list-tables.ts";
import { profileTable } from "./profile-table.ts";
import { readQuery } from "./read-query.ts";
import { undoTool } from "./undo.ts";
import { writeQuery } from "./write-query.ts";

/** In the order in which they are listed: looking before changing. */
export const tools: readonly ToolDefinition<SqliteState>[] = [
  listTables,
  describeTable,
  readQuery,
  explainQuery,
  profileTable,
  writeQuery,
  executeBatch,
  createTable,
  alterOrDrop,
  undoTool,
  importData,
  exportData,
  backupDatabase,
  appendInsight,
];
