import type { OperationName, RequestOf, ResultOf, TaskName } from "../../protocol/messages.ts";
import { inSnapshot } from "../query.ts";
import type { TaskContext } from "../task.ts";
import { backupTask } from "./backup.ts";
import { describeTask } from "./describe.ts";
import { explainTask } from "./explain.ts";
import { exportTask } from "./export.ts";
import { importTask } from "./import.ts";
import { listTask, selectTask } from "../tables.ts";
import { profileTask } from "./profile.ts";
import { listChangesTask, undoTask } from "../undo/undo-change.ts";

/** Changes with every change of the schema, whoever makes it. */
const versionTask = (_: unknown, { pool }: TaskContext): number =>
  inSnapshot(pool, (connection) => Number(connection.value("PRAGMA schema_version")));

export type Handler<Name extends OperationName> = (
  request: RequestOf<Name>,
  context: TaskContext,
) => ResultOf<Name> | Promise<ResultOf<Name>>;

export const tasks: { readonly [Name in TaskName]: Handler<Name> } = {
  tables: listTask,
  select: selectTask,
  describe: describeTask,
  explain: explainTask,
  profile: profileTask,
  export: exportTask,
  import: importTask,
  backup: backupTask,
  version: versionTask,
  changes: listChangesTask,
  undo: undoTask,
};
