import { backupTask } from "../tasks/backup.ts";
import { describeTask, schemaTask } from "../tasks/describe.ts";
import { explainTask } from "../tasks/explain.ts";
import { exportTask } from "../tasks/export.ts";
import { importTask } from "../tasks/import.ts";
import { listTask, selectTask } from "../tasks/objects.ts";
import { profileTask } from "../tasks/profile.ts";
import { versionTask } from "../tasks/version.ts";
import type { TaskTable } from "./task.ts";

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
