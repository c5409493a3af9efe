import type { BackupArgs } from "./worker/tasks/backup.ts";
import type { DescribeArgs, Described } from "./worker/tasks/describe.ts";
import type { ExplainArgs, Plan } from "./worker/tasks/explain.ts";
import type { ExportArgs, Exported } from "./worker/tasks/export.ts";
import type { ImportArgs, Imported } from "./worker/tasks/import.ts";
import type { ListArgs, Selected, TableList } from "./worker/tasks/objects.ts";
import type { Profile, ProfileArgs } from "./worker/tasks/profile.ts";

/** Every task by name: what it is given, and what it answers. The line between the two processes is typed by this. */
export interface Tasks {
  tables(args: ListArgs): TableList;
  select(args: { readonly table: string }): Selected;
  describe(args: DescribeArgs): Described;
  explain(args: ExplainArgs): Plan;
  profile(args: ProfileArgs): Profile;
  export(args: ExportArgs): Exported;
  import(args: ImportArgs): Imported;
  backup(args: BackupArgs): number;
  version(args: object): number;
}

export type TaskName = keyof Tasks;
export type TaskArgs<Name extends TaskName> = Parameters<Tasks[Name]>[0];
export type TaskResult<Name extends TaskName> = ReturnType<Tasks[Name]>;
