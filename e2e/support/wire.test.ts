import { isOf } from "@suite/check/wires";
import { describe, expect, it } from "vitest";

import { NOTES } from "./servers.ts";
import { Wire } from "./wire.ts";

const script = (code: string): readonly string[] => [process.execPath, "--eval", code];
const ECHO = script("process.stdin.pipe(process.stdout)");
const DEAF = script("setInterval(() => {}, 1000); process.stderr.write('deaf')");

const isAlive = (pid: number | undefined): boolean => {
  try {
    return process.kill(pid ?? 0, 0);
  } catch {
    return false;
  }
};

describe("Wire", () => {
  it("gives each message to one listener and keeps them all", async () => {
    const wire = await Wire.open(ECHO);
    for (const method of ["a", "b", "a"]) wire.notify(method);
    expect(await wire.hear(isOf("b"))).toEqual({ jsonrpc: "2.0", method: "b" });
    await wire.hear(isOf("a"));
    await wire.hear(isOf("a"));
    await expect(wire.hear(isOf("a"), 20)).rejects.toThrow("Nothing of the kind was heard in 20 ms");
    expect(wire.heard.map(({ method }) => method)).toEqual(["a", "b", "a"]);
    expect(wire.said).toEqual(wire.heard);
  });

  it("opens both eras", async () => {
    for (const revision of ["2024-11-05", "2026-07-28"] as const) {
      await using wire = await Wire.open(NOTES, { revision });
      expect(await wire.request("tools/list")).toHaveProperty("result.tools");
      expect(wire.said.some(isOf("initialize"))).toBe(revision === "2024-11-05");
    }
  });

  it("answers the server's requests", async () => {
    const wire = await Wire.open(ECHO);
    wire.answer("question", ({ x }) => ({ y: x }));
    wire.answer("refused", () => {
      throw new Error("no");
    });
    wire.send("question", { x: 1 }, { id: 1 });
    wire.send("refused", {}, { id: 2 });
    expect(await wire.hear(({ result }) => result !== undefined)).toMatchObject({ id: 1, result: { y: 1 } });
    expect(await wire.hear(({ error }) => error !== undefined)).toMatchObject({ id: 2 });
  });

  it("fails with the transcript when time is up, the server ends or a line is no message", async () => {
    const deaf = await Wire.open(DEAF, { timeoutMs: 400 });
    await expect.poll(() => deaf.stderr).toBe("deaf");
    await expect(deaf.request("ping")).rejects.toThrow(/400 ms\n→ .*"ping".*\n\(stderr\) deaf/);
    await expect(deaf.end()).rejects.toThrow("did not end");
    const gone = await Wire.open(script("process.exit(3)"));
    await expect(gone.request("ping")).rejects.toThrow(/ended before[^]*exit code 3/);
    const noisy = await Wire.open(script("console.log('Ready!')"));
    await expect(noisy.hear()).rejects.toThrow(/is no message[^]*← Ready!/);
  });

  it("fails with the last lines of a long transcript, and the beginnings of long lines", async () => {
    const wire = await Wire.open(ECHO);
    for (let at = 1; at <= 40; at++) wire.notify(`m${at}`);
    wire.notify("long", { text: "x".repeat(5000) });
    await wire.hear(isOf("long"));
    const failure = await wire.hear(isOf("none"), 20).catch((thrown: unknown) => (thrown as Error).message);
    const [, before, ...lines] = (failure as string).split("\n");
    expect(before).toBe("(52 lines before)");
    expect(lines).toHaveLength(30);
    expect(lines[0]).toContain('"m12"');
    expect(lines.at(-1)).toMatch(/^← .{498}… 4\d\d\d more characters$/);
  });

  it("leaves no process behind", async () => {
    let pid: number | undefined;
    {
      await using wire = await Wire.open(DEAF);
      pid = wire.pid;
      expect(isAlive(pid)).toBe(true);
    }
    expect(isAlive(pid)).toBe(false);
    left = (await Wire.open(DEAF)).pid;
  });

  it("not even one that a test forgot", () => {
    expect(left).toBeTypeOf("number");
    expect(isAlive(left)).toBe(false);
  });
});

let left: number | undefined;
