import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { until } from "@suite/check/wires";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { childrenOf, cpuOf, peakOf } from "../support/processes.ts";
import { SqlitePlace } from "./place.ts";
import { answerOf, openProgram, remainingOf, type SqliteProgram } from "./program.ts";
import { describeOnLinux } from "../support/programs.ts";

const TIME_MS = 300;
/** A busy machine may take that long to notice. */
const LATE_MS = 20_000;
/** What the operator grants, and what may be taken before the watch gets to look again on a busy machine. Every bomb wants more. */
const LIMIT_MIB = 256;
const SLACK_MIB = 512;

const ENDLESS = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)";

/** Never done: only their time ends them. */
const RUNAWAYS: { readonly [name: string]: string } = {
  "a recursion without end": `${ENDLESS} SELECT count(*) FROM c`,
  "one that never finds a row": `${ENDLESS} SELECT x FROM c WHERE x < 0`,
  "a huge cross join": `WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 2000)
    SELECT sum(a.x * b.x * c.x * d.x) FROM n a, n b, n c, n d`,
  // One step of SQLite, in which nothing but the end of the process is heard.
  "a search at every place": "SELECT instr(hex(zeroblob(5000000)), hex(zeroblob(1000000)) || 'b')",
};

/** They take memory before they take time. */
const BOMBS: { readonly [name: string]: string } = {
  "zeros of a gigabyte": "SELECT zeroblob(1000000000)",
  "many times 200 MB of zeros":
    "SELECT length(hex(zeroblob(200000000))), length(hex(zeroblob(200000001))), length(hex(zeroblob(200000002)))",
  "chance of a gigabyte": "SELECT length(hex(randomblob(500000000)))",
  "a list that grows for ever": `${ENDLESS} SELECT length(group_concat(x || hex(zeroblob(1000)))) FROM c`,
  "a sort without end": `${ENDLESS} SELECT x, randomblob(10000) AS y FROM c ORDER BY y`,
  "a set without end": `${ENDLESS} SELECT count(*) FROM (SELECT DISTINCT randomblob(1000) FROM c)`,
  "10 GB of rows": `WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 100)
    SELECT json_group_array(hex(zeroblob(5000))) FROM n a, n b, n c`,
};

describeOnLinux("processes that work", () => {
  const place = new SqlitePlace();
  let program: SqliteProgram;
  /** Every process that ever worked for the server. */
  const workers = new Set<number>();
  /** In MiB. */
  let peak = 0;
  const watch = new AbortController();

  /** Of its main thread, which starts them all: to look through every process there is, so often, takes too much time. */
  function workersNow(): readonly number[] {
    try {
      const children = readFileSync(`/proc/${program.pid}/task/${program.pid}/children`, "utf8");
      return children.trim().split(" ").filter(Boolean).map(Number);
    } catch {
      // It has ended.
      return [];
    }
  }

  async function watchWorkers(): Promise<void> {
    for (; !watch.signal.aborted; await sleep(5)) {
      for (const pid of workersNow()) {
        workers.add(pid);
        peak = Math.max(peak, peakOf(pid));
      }
    }
  }

  let watching: Promise<void>;

  beforeAll(async () => {
    program = await openProgram(["--memory", String(LIMIT_MIB), place.file]);
    watching = watchWorkers();
  });

  afterAll(async () => {
    watch.abort();
    await watching;
    await program.client.close();
  });

  async function expectAlive(): Promise<void> {
    const query = "SELECT name FROM people WHERE id = 1";
    const answer = await answerOf(program.client.callTool("read_query", { query }));
    expect(answer).toMatchObject({ code: undefined, rows: [["Ada"]] });
  }

  const everything = Object.entries({ ...RUNAWAYS, ...BOMBS });

  describe("stopping", () => {
    it.each(Object.entries(RUNAWAYS))("%s, when its time is over", async (_, query) => {
      await expectAlive();
      const begun = Date.now();
      const meta = { "dev.suite/timeoutMs": TIME_MS };
      const answer = await answerOf(program.client.callTool("read_query", { query }, { meta }));
      expect(answer.code).toBe("timeout");
      expect(Date.now() - begun).toBeLessThan(TIME_MS + LATE_MS);
      await expectAlive();
    });

    it.each(Object.entries(BOMBS))("%s, before memory is", async (_, query) => {
      await expectAlive();
      const begun = Date.now();
      const meta = { "dev.suite/timeoutMs": 10 * TIME_MS };
      const answer = await answerOf(program.client.callTool("read_query", { query }, { meta }));
      expect(["timeout", "too_large", "unavailable"]).toContain(answer.code);
      expect(Date.now() - begun).toBeLessThan(10 * TIME_MS + LATE_MS);
      await expectAlive();
    });

    it.each(everything)("%s, when nobody wants it any more", async (_, query) => {
      await expectAlive();
      const stop = new AbortController();
      const call = answerOf(program.client.callTool("read_query", { query }, { signal: stop.signal }));
      await sleep(100);
      stop.abort();
      const begun = Date.now();
      await call;
      await expectAlive();
      expect(Date.now() - begun).toBeLessThan(LATE_MS);
    });

    it("a write, which then has changed nothing", async () => {
      const query = `INSERT INTO log ${ENDLESS} SELECT x FROM c`;
      const meta = { "dev.suite/timeoutMs": TIME_MS };
      const answer = await answerOf(program.client.callTool("write_query", { query }, { meta }));
      expect(answer.code).toBe("timeout");
      const count = { query: "SELECT count(*) FROM log" };
      expect((await answerOf(program.client.callTool("read_query", count))).rows).toEqual([[0]]);
    });

    it("what a server was asked for that was killed itself", async () => {
      const orphaned = await openProgram([place.file]);
      const query = RUNAWAYS["a recursion without end"];
      const call = answerOf(orphaned.client.callTool("read_query", { query }));
      await until(() => childrenOf(orphaned.pid).length > 0, "The process that works");
      const children = childrenOf(orphaned.pid);
      // It is in the middle of the statement, and hears of nothing.
      await until(() => children.some((child) => cpuOf(child) > 50), "The statement");
      process.kill(orphaned.pid, "SIGKILL");
      await call;
      expect(await remainingOf([orphaned.pid, ...children])).toEqual([]);
      await orphaned.client.close();
    });

    it("what nobody but the server would stop, when it ends", async () => {
      const query = RUNAWAYS["a recursion without end"];
      const call = answerOf(program.client.callTool("read_query", { query }));
      await sleep(100);
      await program.client.close();
      await call;
      watch.abort();
      await watching;
      expect(workers.size).toBeGreaterThan(1);
      expect(await remainingOf([...workers])).toEqual([]);
      expect(peak).toBeGreaterThan(16);
      expect(peak).toBeLessThan(LIMIT_MIB + SLACK_MIB);
    });
  });
});
