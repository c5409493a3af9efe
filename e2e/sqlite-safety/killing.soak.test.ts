import { setTimeout as sleep } from "node:timers/promises";
import { until } from "@suite/check/wires";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";

import { SqlitePlace } from "./place.ts";
import { inSoak } from "../support/soak.ts";
import { childrenOf } from "../support/processes.ts";
import { answerOf, openProgram, remainingOf } from "./program.ts";
import { describeOnLinux } from "../support/programs.ts";

/** Kills in each way that must have ended a write. */
const INTERRUPTED = inSoak(10, 1);
/** A child may die between two writes, which proves nothing. Most do not. */
const MOST_ROUNDS = 20 * INTERRUPTED;
const IN_FLIGHT = 20;
const AT_MOST = 5000;
/** Without a server there is no code. */
const ENDED = new Set(["unavailable", "no code"]);
const SCHEMA = "CREATE TABLE counter (n INTEGER PRIMARY KEY, filler BLOB)";

const WAYS = [
  { journal: "delete", victim: "server" },
  { journal: "delete", victim: "child" },
  { journal: "wal", victim: "server" },
  { journal: "wal", victim: "child" },
] as const;

interface Round {
  /** Rows whose insert was answered. */
  readonly answered: readonly number[];
  /** Rows whose insert is said not to have happened. */
  readonly undone: readonly number[];
  readonly codes: ReadonlySet<string>;
  readonly pids: readonly number[];
}

/** Inserts one row after the other, some ahead of their answers, until the victim dies at some moment. */
async function run(file: string, first: number, victim: "server" | "child"): Promise<Round> {
  const { client, pid } = await openProgram([file]);
  const answered: number[] = [];
  let next = first;
  const undone: number[] = [];
  const codes = new Set<string>();
  const end = new AbortController();
  const insert = async (): Promise<void> => {
    while (!end.signal.aborted && next < first + AT_MOST) {
      const n = next++;
      // Large, so that most of the time goes into writing.
      const query = "INSERT INTO counter VALUES (?, randomblob(200000))";
      const { code, said } = await answerOf(client.callTool("write_query", { query, params: [n] }));
      if (code === undefined) answered.push(n);
      else codes.add(code);
      if (said.includes("Nothing was done")) undone.push(n);
    }
  };
  const inserting = Promise.all(Array.from({ length: IN_FLIGHT }, insert));
  await until(() => answered.length > 0, "a first row");
  // Now, and not when they are killed: while this looks for them, the server does all that it was asked.
  const workers = childrenOf(pid);
  await sleep(Math.random() * 60);
  for (const target of victim === "server" ? [pid] : workers) process.kill(target, "SIGKILL");
  end.abort();
  await inserting;
  // A server goes on with another child.
  if (victim === "child") {
    const query = "INSERT INTO counter VALUES (?, NULL)";
    const { code } = await answerOf(client.callTool("write_query", { query, params: [next] }));
    if (code === undefined) answered.push(next);
    else codes.add(`${code} from the next child`);
  }
  const pids = [pid, ...workers, ...childrenOf(pid)];
  await client.close();
  return { answered, undone, codes, pids };
}

function inspect(file: string, answered: readonly number[], undone: readonly number[]): number {
  const database = new Database(file, { timeout: 0 });
  try {
    expect(database.pragma("integrity_check", { simple: true })).toBe("ok");
    const kept = new Set(database.prepare("SELECT n FROM counter").pluck().all());
    expect(answered.filter((n) => !kept.has(n))).toEqual([]);
    expect(undone.filter((n) => kept.has(n))).toEqual([]);
    database.exec("BEGIN EXCLUSIVE; INSERT INTO counter (filler) VALUES (x'00'); COMMIT");
    return Number(database.prepare("SELECT max(n) FROM counter").pluck().get());
  } finally {
    database.close();
  }
}

describeOnLinux("processes that are killed", () => {
  describe.each(WAYS)("killing the $victim amid writes, journal $journal", ({ journal, victim }) => {
    it("loses nothing that was answered, and leaves no lock and no process", async () => {
      const place = new SqlitePlace(`PRAGMA journal_mode = ${journal}; ${SCHEMA}`);
      const answered: number[] = [];
      let [last, interrupted] = [0, 0];
      for (let round = 0; round < MOST_ROUNDS && interrupted < INTERRUPTED; round += 1) {
        const done = await run(place.file, last + 1, victim);
        if (done.codes.size > 0) interrupted += 1;
        answered.push(...done.answered);
        // An insert that was done twice would have been refused as a duplicate.
        expect([...done.codes].filter((code) => !ENDED.has(code))).toEqual([]);
        expect(await remainingOf(done.pids)).toEqual([]);
        last = inspect(place.file, answered, done.undone);
      }
      expect(interrupted).toBe(INTERRUPTED);
    });
  });
});
