import { describe, expect, it } from "vitest";
import type { StopSignal } from "@suite/server-kit/domain";
import type { TaskOptions } from "../../../src/domain/engine/database-process.ts";
import type { Portion, Progress } from "../../../src/domain/protocol/statements.ts";
import { type OpenedDatabase, unstopped, useDatabases } from "../scratch.ts";

const databases = useDatabases({ tasks: new URL("./test-tasks.ts", import.meta.url) });
const { scratch } = databases;
/** Here the tasks are others than those that the types know. */
const open = databases.open as unknown as (options: object) => UntypedDatabase;

interface UntypedDatabase extends Omit<OpenedDatabase, "task"> {
  task(name: string, args: unknown, signal?: StopSignal, options?: TaskOptions): Promise<unknown>;
}

const create = (): string => scratch.create("a.db", "CREATE TABLE t (a); INSERT INTO t VALUES (1), (2)");

const portionOf = (value: number): Portion => [{ columns: ["a"], from: 1, rows: [[value]] }];

describe("a task", () => {
  it("gets its arguments and the database, and gives a result", async () => {
    const database = open({ file: create() });
    expect(await database.task("echo", { a: [1, "ä", null] })).toEqual({ a: [1, "ä", null] });
    expect(await database.task("count", {})).toBe(2);
    expect(await database.task("count", {}, unstopped(), { isLong: true })).toBe(2);
  });

  it("fails in words", async () => {
    const database = open({ file: create() });
    await expect(database.task("fails", {})).rejects.toMatchObject({
      code: "unsupported",
      message: "Not today.",
      hint: "Tomorrow.",
    });
    await expect(database.task("breaks", {})).rejects.toMatchObject({
      code: "internal",
      message: "The database process failed: a mistake",
    });
    await expect(database.task("toString", {})).rejects.toMatchObject({ code: "internal" });
  });

  it("streams out no faster than it is read, and tells how far it is", async () => {
    const database = open({ file: create() });
    const taken: number[] = [];
    const progress: Progress[] = [];
    let open_ = 0;
    const result = await database.task("stream", { chunks: 20 }, unstopped(), {
      onProgress: (step) => progress.push(step),
      onChunk: async (chunk) => {
        expect((open_ += 1)).toBe(1);
        await new Promise((resolve) => setTimeout(resolve, 2));
        taken.push(Number.parseInt(chunk, 10));
        open_ -= 1;
      },
    });
    expect(result).toBe(20);
    expect(taken).toEqual(Array.from({ length: 20 }, (_, at) => at));
    expect(progress[19]).toEqual({ done: 19, total: 20 });
  });

  it("streams in, one value when it is asked for", async () => {
    const database = open({ file: create(), mode: "write" });
    let asked = 0;
    async function* values(): AsyncGenerator<Portion> {
      for (; asked < 50; asked += 1) yield portionOf(asked);
    }
    const result = await database.task("collect", {}, unstopped(), { input: values(), writes: true });
    expect([result, asked]).toEqual([50, 50]);
    expect(await database.task("count", {})).toBe(52);
  });

  it("ends when the other half fails", async () => {
    const database = open({ file: create(), mode: "write" });
    const onChunk = (): never => {
      throw new TypeError("no room");
    };
    await expect(database.task("stream", { chunks: 3 }, unstopped(), { onChunk })).rejects.toMatchObject({
      code: "internal",
      message: "The task failed.",
    });
    // oxlint-disable-next-line require-yield -- it fails first
    async function* broken(): AsyncGenerator<Portion> {
      await Promise.resolve();
      throw new RangeError("no more");
    }
    await expect(
      database.task("collect", {}, unstopped(), { input: broken(), writes: true }),
    ).rejects.toMatchObject({ code: "internal" });
    expect(await database.task("count", {})).toBe(2);
  });

  it("is stopped like a statement, and releases what it was given", async () => {
    const database = open({ file: create(), mode: "write" });
    await expect(database.task("spin", {}, AbortSignal.timeout(400))).rejects.toMatchObject({
      code: "timeout",
    });
    let released = false;
    const deadline = new AbortController();
    async function* endless(): AsyncGenerator<Portion> {
      try {
        for (let given = 0; ; given += 1) {
          if (given === 50) deadline.abort(new DOMException("Enough", "TimeoutError"));
          await new Promise((resolve) => setTimeout(resolve, 5));
          yield portionOf(7);
        }
      } finally {
        released = true;
      }
    }
    const stopped = database.task("collect", {}, deadline.signal, {
      input: endless(),
      writes: true,
    });
    await expect(stopped).rejects.toMatchObject({ code: "timeout" });
    // Once what it was just about to give has come.
    await expect.poll(() => released).toBe(true);
    expect(await database.task("count", {})).toBeGreaterThan(2);
  });

  it("that is long lets queries through meanwhile", async () => {
    const database = open({ file: create() });
    const controller = new AbortController();
    const long = database.task("spin", {}, controller.signal, { isLong: true });
    const ended = long.catch((thrown: unknown) => thrown);
    expect(await database.rows("SELECT count(*) FROM t")).toEqual([[2]]);
    controller.abort();
    expect(await ended).toMatchObject({ code: "cancelled" });
    expect(database.children).toHaveLength(2);
  });
});
