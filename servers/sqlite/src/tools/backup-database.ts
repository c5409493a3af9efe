import { AtomicFile, describeBytes, quotePath } from "@suite/server-kit/domain";
import { Changed, Count } from "@suite/server-kit/schemas";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";

import { defineTool } from "../define.ts";
import { requireExchange, statsOf, toProgress } from "./exchange.ts";
import { DatabaseName, DryRun, PATH_ALIASES } from "./schemas.ts";

export const backupDatabase = defineTool({
  name: "backup_database",
  version: 2,
  title: "Back a database up",
  description: "Copies a database to a file, and checks it.",
  effects: "destructive",
  affects: "files in the exchange directories",
  group: "files",
  aliases: PATH_ALIASES,
  input: schema(
    v.strictObject({
      path: v.string(),
      overwrite: v.optional(v.boolean()),
      dry_run: DryRun,
      database: DatabaseName,
    }),
  ),
  output: schema(v.object({ database: v.string(), bytes: Count, changed: Changed })),
  async run({ path, overwrite = false, dry_run: dryRun = false, database }, context) {
    const source = context.state.databases.get(database);
    const guard = requireExchange(context.state);
    const file = new AtomicFile(guard, path, {
      overwrite,
      owner: context.state.owner,
      sideFiles: [...LOGS, "-shm"],
      logs: LOGS,
    });
    try {
      const { size, mode } = statsOf(source);
      const result = { database: source.name, changed: [file.path] };
      if (dryRun) return { ...result, bytes: size };
      file.open(mode);
      const options = { isLong: true, onProgress: toProgress(context) };
      await source.engine.task("backup", { to: file.temporaryForOthers }, context.stop, options);
      return { ...result, bytes: file.finish() };
    } finally {
      file.discard();
    }
  },
  text: ({ changed, bytes }, { dry_run: isDryRun }) =>
    isDryRun
      ? `It would be copied to ${quotePath(changed[0] ?? "")}, about ${describeBytes(bytes)}.`
      : `Copied to ${quotePath(changed[0] ?? "")}, ${describeBytes(bytes)}.`,
});

/** Files that SQLite leaves beside a database if it is stopped while writing. */
const LOGS = ["-journal", "-wal"];
