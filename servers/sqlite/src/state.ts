import type { Context } from "@suite/server-kit";
import type { OwnerProcess, PathGuard } from "@suite/server-kit/domain";

import type { DatabaseWatch } from "./domain/database-watch.ts";
import type { Databases } from "./domain/databases.ts";
import type { Insights } from "./domain/insights.ts";
import type { SchemaTool } from "./domain/sql-policy/admit.ts";
import type { StoredResults } from "./domain/stored-results.ts";

/** What the tools, resources and prompts of this server share. */
export interface SqliteState {
  readonly databases: Databases;
  /** Detects changes and notifies subscribers. */
  readonly watch: DatabaseWatch;
  readonly insights: Insights;
  readonly results: StoredResults;
  /** Directories for imports and exports; undefined unless the operator names some. */
  readonly exchange: PathGuard | undefined;
  /** Whether callers may see and undo each other's changes. */
  readonly sharedUndo: boolean;
  /** Which of these tools are offered: a batch may have their statements. */
  readonly schemaTools: readonly SchemaTool[];
  /** This process, for its temporary files. */
  readonly owner: OwnerProcess;
}

export type SqliteContext = Context<SqliteState>;
