import { Fault } from "@suite/server-kit/domain";
import { inSnapshot } from "../../../src/domain/worker/query.ts";
import type { TaskContext } from "../../../src/domain/worker/task.ts";
import { transact } from "../../../src/domain/worker/transaction.ts";

/** Tasks for the tests of tasks: they take the place of the real ones in the worker. */
export const tasks: { readonly [name: string]: (args: never, context: TaskContext) => unknown } = {
  echo: (args) => args,

  fails: () => {
    throw new Fault("unsupported", "Not today.", { hint: "Tomorrow." });
  },

  breaks: () => {
    throw new TypeError("a mistake");
  },

  count: (_args, { pool }) =>
    inSnapshot(pool, (connection) => Number(connection.value("SELECT count(*) FROM t"))),

  stream: async ({ chunks }: { chunks: number }, { emit, progress }) => {
    for (let at = 0; at < chunks; at += 1) {
      progress({ done: at, total: chunks });
      await emit(`${at} ${"x".repeat(1000)}`);
    }
    return chunks;
  },

  collect: async (_args, { pool, input }) => {
    let rows = 0;
    for await (const groups of input) {
      for (const row of groups.flatMap((group) => group.rows)) {
        transact(pool, { dryRun: false }, (connection) =>
          connection.own("INSERT INTO t VALUES (?)").run(...row),
        );
        rows += 1;
      }
    }
    return rows;
  },

  spin: () => {
    for (;;);
  },
};
