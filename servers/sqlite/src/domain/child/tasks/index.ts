import { backupTask } from "./backup.ts";
import { describeTask, schemaTask } from "./describe.ts";
import { explainTask } from "./explain.ts";
import { exportTask } from "./export.ts";
import { importTask } from "./import.ts";
import { listTask, selectTask } from "./objects.ts";
import { profileTask } from "./profile.ts";
import { versionTask } from "./version.ts";
import type { TaskTable } from "../task.ts";

/** Every task by name. */
export const tasks: TaskTable = {
  tables: listTask,
  select: selectTask,
  describe: describeTask,
  schema: schemaTask,
  explain: explainTask,
  profile: profileTask,
  export: exportTask,
  import: importTask,
  backup: backupTask,
  version: versionTask,
};
