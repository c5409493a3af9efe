import { setTimeout as sleep } from "node:timers/promises";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";

import { until } from "@suite/check/wires";
import { childrenOf } from "../support/processes.ts";
import { inSoak } from "../support/soak.ts";
import { SqlitePlace } from "./place.ts";
import { answerOf, openProgram, remainingOf, type SqliteProgram } from "./program.ts";
import { describeOnLinux } from "../support/programs.ts";

const ROUNDS = inSoak(15, 1);
const SCHEMA = `CREATE TABLE state (id INTEGER PRIMARY KEY, n INT, filler BLOB); CREATE TABLE log (n INTEGER PRIMARY KEY);
  INSERT INTO state VALUES (1, 0, NULL), (2, 0, NULL), (3, 0, NULL);
  CREATE TRIGGER logged AFTER UPDATE ON state WHEN new.id = 3 BEGIN INSERT INTO log VALUES (new.n); END;`;

const WAYS = [
  { journal: "delete", victim: "server" },
  { journal: "delete", victim: "child" },
  { journal: "wal", victim: "server" },
  { journal: "wal", victim: "child" },
] as const;

/** How often everything was changed; the rows and what the trigger wrote must agree. */
function countChanges(file: string): number {
  const database = new Database(file, { timeout: 0 });
  try {
    expect(database.pragma("integrity_check", { simple: true })).toBe("ok");
    const numbers = database.prepare("SELECT n FROM state").pluck().all();
    const count = Number(database.prepare("SELECT count(*) FROM log").pluck().get());
    expect(numbers).toEqual([count, count, count]);
    return count;
  } finally {
    database.close();
  }
}

const change = ({ client }: SqliteProgram): Promise<{ readonly code: string | undefined }> =>
  answerOf(
    client.callTool("write_query", { query: "UPDATE state SET n = n + 1, filler = randomblob(50000)" }),
  );

/** Changes everything again and again until the victim dies at some moment. Returns how many changes were answered. */
async function interrupt(file: string, victim: "server" | "child"): Promise<number> {
  const program = await openProgram([file]);
  const { client, pid } = program;
  let answered = 0;
  const end = new AbortController();
  const changing = (async () => {
    while (!end.signal.aborted) if ((await change(program)).code === undefined) answered += 1;
  })();
  await until(() => answered > 2, "some changes");
  await sleep(Math.random() * 60);
  // Now: they start with the first statement, and one that is not known of here might still work while its changes are counted.
  const workers = childrenOf(pid);
  expect(workers).not.toEqual([]);
  for (const target of victim === "server" ? [pid] : workers) process.kill(target, "SIGKILL");
  end.abort();
  await changing;
  const pids = [pid, ...workers, ...childrenOf(pid)];
  await client.close();
  expect(await remainingOf(pids)).toEqual([]);
  return answered;
}

describeOnLinux("processes that are killed", () => {
  describe.each(WAYS)("killing the $victim amid changes, journal $journal", ({ journal, victim }) => {
    it(
      "leaves a list of just those changes that happened, each of which can be undone",
      { timeout: 300_000 },
      async () => {
        const place = new SqlitePlace(`PRAGMA journal_mode = ${journal}; ${SCHEMA}`);
        for (let round = 0; round < ROUNDS; round += 1) {
          const answered = await interrupt(place.file, victim);
          const happened = countChanges(place.file);
          // The one that was interrupted may have happened.
          expect([answered, answered + 1]).toContain(happened);
          const { client } = await openProgram([place.file]);
          for (let left = happened; left > 0; left -= 1) {
            const { code, said } = await answerOf(client.callTool("undo", { id: "last" }));
            expect(code, said).toBeUndefined();
            expect(countChanges(place.file)).toBe(left - 1);
          }
          expect(await answerOf(client.callTool("undo", { id: "last" }))).toMatchObject({
            code: "not_found",
          });
          await client.close();
        }
      },
    );
  });
});
