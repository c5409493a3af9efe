import type { ServerConfig } from "@suite/server-kit";
import { type OwnerProcess, PathGuard } from "@suite/server-kit/domain";
import { type ProgramContext, type ProgramOptions, requireDirectory } from "@suite/server-kit/program";

import { DatabaseWatch } from "./domain/database-watch.ts";
import { Databases, protectFiles } from "./domain/databases.ts";
import type { WorkerProgram } from "./domain/engine/worker-program.ts";
import { Insights } from "./domain/insights.ts";
import type { SchemaTool } from "./domain/sql-policy/admit.ts";
import { StoredResults } from "./domain/stored-results.ts";
import { introduction } from "./introduction.ts";
import type { options, positionals } from "./options.ts";
import { prompts } from "./prompts.ts";
import { insights as insightsResource, templates } from "./resources/resources.ts";
import { asSetup, whyUnavailable } from "./setup.ts";
import type { SqliteState } from "./state.ts";
import { tools } from "./tools/index.ts";

/** For `owner`: the part that starts is smaller without it. */
export { isRunning } from "@suite/server-kit/domain";

export type SqliteOptions = ProgramOptions<typeof options, typeof positionals>;

export interface SqliteServerContext extends Pick<ProgramContext, "contract"> {
  readonly owner: OwnerProcess;
  /** The program that SQL runs in. */
  readonly program: WorkerProgram;
}

export function configureSqlite(
  given: SqliteOptions,
  context: SqliteServerContext,
): ServerConfig<SqliteState> {
  const { owner } = context;
  const { info, instructions } = introduction;
  const state = asSetup(() => createState(given, context));
  const { databases, watch } = state;
  return {
    ...info,
    instructions,
    state: { ...state, owner },
    tools,
    checksResults: false,
    whyUnavailable: (tool) => whyUnavailable(tool, given),
    resources: [insightsResource],
    templates,
    prompts,
    dispose: async () => {
      watch.close();
      await databases.dispose();
    },
    // Workers start while the client handles its first answer.
    created: () => databases.warm(),
  };
}

const SCHEMA_TOOLS = ["create_table", "alter_or_drop"] as const;

/** Those that the operator offers. */
function toSchemaTools(
  given: SqliteOptions,
  { tools: only, excludeTools }: SqliteServerContext["contract"],
): readonly SchemaTool[] {
  if (!given.allowDdl) return [];
  const isNamed = (name: string, names: readonly string[]): boolean =>
    names.includes(name) || names.includes("schema");
  return SCHEMA_TOOLS.filter(
    (name) => (only.length === 0 || isNamed(name, only)) && !isNamed(name, excludeTools),
  );
}

function createState(
  given: SqliteOptions,
  { contract, program }: SqliteServerContext,
): Omit<SqliteState, "owner"> {
  const databases = new Databases({
    files: [...given.files, ...given.dbPath],
    program,
    readOnly: contract.readOnly,
    create: given.create,
    allowDdl: given.allowDdl,
    busyTimeoutMs: given.busyTimeout,
    memoryBytes: given.memory * 1024 * 1024,
    undo: given.noUndo ? undefined : { days: given.undoDays },
  });
  const roots = given.exchange.map((directory) => requireDirectory(directory, "--exchange"));
  const own = databases.all.map(({ file }) => file);
  return {
    databases,
    watch: new DatabaseWatch(),
    insights: new Insights(),
    results: new StoredResults(),
    sharedUndo: given.sharedUndo,
    schemaTools: toSchemaTools(given, contract),
    exchange: roots.length > 0 ? new PathGuard({ roots, protect: protectFiles(own) }) : undefined,
  };
}
