import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { buildSync } from "esbuild";
import { needs } from "@suite/core/testing";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";

import { Fault } from "../../../src/domain/errors/fault.ts";
import { Children, type SpawnOptions } from "../../../src/domain/processes/children.ts";
import type { ChildResult } from "../../../src/domain/processes/await-end.ts";
import { isRunning } from "../../../src/domain/processes/is-running.ts";
import { toChildProgramBuild } from "../../../src/testing.ts";
import { LIFETIME_MS, toFamily, waitUntil } from "./processes.ts";

const NODE = process.execPath;
const SOURCE = fileURLToPath(new URL("../../../src/domain/processes/children.ts", import.meta.url));
const never = new AbortController().signal;

let folder: string;
let children: Children;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "children-")));
  children = new Children();
});
afterEach(async () => {
  await children.dispose();
  rmSync(folder, { recursive: true, maxRetries: 20 });
});

const run = (script: string, options: Partial<SpawnOptions> = {}): Promise<ChildResult> =>
  children.spawn(NODE, ["-e", script], { signal: never, cwd: folder, env: {}, ...options });

/** Starts a process that starts another, neither of which ends when asked to. */
async function runFamily(
  options: Partial<SpawnOptions> = {},
): Promise<{ run: Promise<unknown>; pids: number[] }> {
  const file = join(folder, "pids");
  const end = run(toFamily(file), options).catch((error: unknown) => error);
  await waitUntil(() => existsSync(file), "the family to start");
  const pids = JSON.parse(readFileSync(file, "utf8")) as number[];
  expect(pids.map(isRunning)).toEqual([true, true]);
  return { run: end, pids };
}

/** A program of its own that stands on the sources. */
function toProgram(contents: string): string {
  const source = join(folder, "server.ts");
  writeFileSync(source, contents);
  buildSync(toChildProgramBuild(source, folder));
  return join(folder, "server.mjs");
}

const allGone = (pids: readonly number[]): Promise<void> =>
  waitUntil(() => !pids.some(isRunning), "all of the family to be gone");

describe("a program", () => {
  it("is run to its end", async () => {
    const result = await run(`
      process.stdout.write(Buffer.from([0, 255, 10]));
      console.error("\\x1B[31mred\\x1B[0m");
      process.exitCode = 3;
    `);
    const stdout = Buffer.from([0, 255, 10]);
    expect(result).toEqual({ code: 3, signal: null, stdout, stderr: "red\n", stopped: false });
  });

  needs(it, "signals")("may end by a signal", async () => {
    expect(await run('process.kill(process.pid, "SIGTERM")')).toMatchObject({
      code: null,
      signal: "SIGTERM",
    });
  });

  it("gets the folder, the environment and the arguments as they are, and no more", async () => {
    const script =
      "console.log(JSON.stringify([process.cwd(), process.env.A, process.env.HOME, process.argv.slice(1)]))";
    const args = ["$A", "a b", "; echo", '"', "*"];
    const options = { signal: never, cwd: folder, env: { A: "1", B: undefined } };
    const { stdout } = await children.spawn(NODE, ["-e", script, "--", ...args], options);
    expect(JSON.parse(stdout.toString())).toEqual([folder, "1", null, args]);
  });

  it("reads its input, or nothing", async () => {
    const echo = "process.stdin.pipe(process.stdout)";
    expect((await run(echo)).stdout.toString()).toBe("");
    expect((await run(echo, { input: "a😀" })).stdout.toString()).toBe("a😀");
    const bytes = Buffer.alloc(1_000_000, 7);
    expect(bytes.equals((await run(echo, { input: bytes })).stdout)).toBe(true);
  });

  it("need not read its input", async () => {
    expect(await run("process.exit(0)", { input: Buffer.alloc(5_000_000) })).toMatchObject({ code: 0 });
  });

  it("may print up to the limit", async () => {
    const result = await run('process.stdout.write("x".repeat(500_000))', { maxOutputBytes: 500_000 });
    expect(result.stdout).toHaveLength(500_000);
  });

  it("is heard as it prints, beyond every limit, until the listener has enough", async () => {
    let bytes = 0;
    const pids: number[] = [];
    const heard: string[] = [];
    const script = `
      process.stderr.write("50%\\r");
      const more = () => process.stdout.write(Buffer.alloc(65_536), more);
      more();
    `;
    const result = await run(script, {
      maxOutputBytes: 10_000,
      onStart: (pid) => void pids.push(pid),
      onErrorOutput: (chunk) => void heard.push(chunk.toString()),
      onOutput: (chunk) => ((bytes += chunk.length) > 5_000_000 ? "stop" : undefined),
    });
    expect(result).toMatchObject({ stopped: true, stderr: "50%\r" });
    expect(result.stdout).toHaveLength(0);
    expect(bytes).toBeGreaterThan(5_000_000);
    expect(heard.join("")).toBe("50%\r");
    expect(pids.map(isRunning)).toEqual([false]);
  });
});

it("a listener that throws ends the program, and fails the call", async () => {
  const fault = new Fault("too_large", "Enough");
  const onOutput = (): undefined => {
    throw fault;
  };
  await expect(run("setInterval(() => console.log(1), 1)", { onOutput })).rejects.toBe(fault);
});

describe("neither a program nor what it started survives", () => {
  it("a cancelled call", async () => {
    const controller = new AbortController();
    const family = await runFamily({ signal: controller.signal });
    const reason = new Fault("timeout", "Too slow");
    controller.abort(reason);
    expect(await family.run).toBe(reason);
    expect(isRunning(family.pids[0] ?? 0)).toBe(false);
    await allGone(family.pids);
  });

  it("too much output", async () => {
    const file = join(folder, "pids");
    const flood = `${toFamily(file)}
      setInterval(() => {
        if (require("node:fs").existsSync(${JSON.stringify(file)})) process.stderr.write("x".repeat(2000));
      }, 1);
    `;
    await expect(run(flood, { maxOutputBytes: 10_000 })).rejects.toMatchObject({ code: "too_large" });
    await allGone(JSON.parse(readFileSync(file, "utf8")) as number[]);
  });

  it("its own end", async () => {
    const file = join(folder, "pids");
    const script = `${toFamily(file)}
      setInterval(() => { if (require("node:fs").existsSync(${JSON.stringify(file)})) process.exit(0); }, 5);
    `;
    expect(await run(script)).toMatchObject({ code: 0 });
    await allGone(JSON.parse(readFileSync(file, "utf8")) as number[]);
  });

  it("the server's end", async () => {
    const family = await runFamily();
    await children.dispose();
    expect(isRunning(family.pids[0] ?? 0)).toBe(false);
    expect(await family.run).toMatchObject({ code: "unavailable", message: "The server is stopping" });
    await allGone(family.pids);
    await expect(run("")).rejects.toMatchObject({ code: "unavailable" });
  });

  it.each([
    ["an exit", "process.exit(0)"],
    ["a crash", 'throw new Error("crash")'],
  ])("%s of the server", async (_name, end) => {
    const file = join(folder, "pids");
    const script = JSON.stringify(toFamily(file));
    const server = toProgram(`
      import { existsSync } from "node:fs";
      import { Children } from ${JSON.stringify(SOURCE)};
      const options = { signal: new AbortController().signal, cwd: ${JSON.stringify(folder)}, env: {} };
      void new Children().spawn(process.execPath, ["-e", ${script}], options);
      setInterval(() => { if (existsSync(${JSON.stringify(file)})) { ${end} } }, 5);
    `);
    await once(spawn(NODE, [server], { stdio: "ignore" }), "exit");
    const pids = JSON.parse(readFileSync(file, "utf8")) as number[];
    await allGone(pids);
    expect(pids).toHaveLength(2);
  });
});

it("does not wait for somebody who left the family and holds its pipes", async () => {
  const file = join(folder, "pids");
  const script = `${toFamily(file, true)}
    setInterval(() => {
      if (!require("node:fs").existsSync(${JSON.stringify(file)})) return;
      process.stdout.write("last words", () => process.exit(0));
    }, 5);
  `;
  const result = await run(script);
  const [, escaped = 0] = JSON.parse(readFileSync(file, "utf8")) as number[];
  expect(isRunning(escaped)).toBe(true);
  process.kill(escaped, "SIGKILL");
  expect(result).toMatchObject({ code: 0, stdout: Buffer.from("last words") });
});

it("hears out somebody who left the family and still speaks", async () => {
  const words = `
    let count = 0;
    setInterval(() => { console.log(++count); if (count === 30) process.exit(); }, 50);
    process.send("ready");
  `;
  const script = `
    const stdio = ["ignore", "inherit", "inherit", "ipc"];
    const args = ["-e", ${JSON.stringify(words)}];
    require("node:child_process")
      .spawn(process.execPath, args, { stdio, detached: true })
      .once("message", () => process.exit(0));
  `;
  const spoken = Array.from({ length: 30 }, (_, at) => `${at + 1}\n`);
  expect((await run(script)).stdout.toString()).toBe(spoken.join(""));
});

describe("a program that is to be ended gently", () => {
  /** Writes a file of its own, and another when it is asked to end. */
  const tidy = `
    const fs = require("node:fs");
    process.on("SIGTERM", () => { fs.rmSync("held"); process.exit(0); });
    fs.writeFileSync("held", "");
    setTimeout(() => {}, ${LIFETIME_MS});
  `;
  const held = (): boolean => existsSync(join(folder, "held"));

  needs(it, "signals")("has the time to put away what it holds, and so has what it started", async () => {
    const controller = new AbortController();
    let kills = 0;
    // The leader is gone at once: nothing listens to the signal in it.
    const script = `
      require("node:child_process").spawn(process.execPath, ["-e", ${JSON.stringify(tidy)}], { stdio: "ignore" });
      setTimeout(() => {}, ${LIFETIME_MS});
    `;
    const options = { signal: controller.signal, endsGently: true, onKill: () => void (kills += 1) };
    const end = run(script, options).catch((error: unknown) => error);
    await waitUntil(held, "the program to start");
    controller.abort();
    expect(await end).toMatchObject({ code: "cancelled" });
    expect(held()).toBe(false);
    expect(kills).toBe(0);
  });

  needs(it, "signals")("has it when the server ends, too", async () => {
    const end = run(tidy, { endsGently: true }).catch((error: unknown) => error);
    await waitUntil(held, "the program to start");
    await children.dispose();
    expect(held()).toBe(false);
    await end;
  });

  it("is killed if it does not end, which is told", async () => {
    const controller = new AbortController();
    let kills = 0;
    const options = { signal: controller.signal, endsGently: true, onKill: () => void (kills += 1) };
    const family = await runFamily(options);
    controller.abort();
    expect(await family.run).toMatchObject({ code: "cancelled" });
    await allGone(family.pids);
    // A killed process is waited for only so long; it is told once it has ended.
    await waitUntil(() => kills > 0, "the kill to be told");
    expect(kills).toBe(1);
  });
});

it("is not left running by a listener that fails at its start", async () => {
  const pids: number[] = [];
  const fail = (pid: number): void => {
    pids.push(pid);
    throw Object.assign(new Error("full"), { code: "ENOSPC" });
  };
  const end = run(`setTimeout(() => {}, ${LIFETIME_MS})`, { onStart: fail });
  await expect(end).rejects.toMatchObject({ code: "unavailable" });
  expect(pids.map(isRunning)).toEqual([false]);
});

describe("a process that was started elsewhere", () => {
  const start = (isLeader: boolean): ChildProcess =>
    spawn(NODE, ["-e", `setTimeout(() => {}, ${LIFETIME_MS})`], { stdio: "ignore", detached: isLeader });

  it.each([true, false])("ends with the server (leader of a group: %s)", async (isLeader) => {
    const child = start(isLeader);
    children.track(child);
    await children.dispose();
    expect(child.signalCode).toBe("SIGKILL");
  });

  it("ends at once if the server has", async () => {
    await children.dispose();
    const child = start(true);
    children.track(child);
    await once(child, "exit");
    expect(child.signalCode).toBe("SIGKILL");
  });

  it("may have ended, or never started", async () => {
    const missing = spawn(join(folder, "none"));
    await once(missing, "error");
    const ended = spawn(NODE, ["-e", ""]);
    await once(ended, "exit");
    children.track(missing);
    children.track(ended);
    // What would wait for them would wait for good.
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    await expect(children.dispose()).resolves.toBeUndefined();
  });
});

it("listens for the server's exit only while there is something to end", async () => {
  const before = process.listenerCount("exit");
  const running = Promise.all([run(""), run("")]);
  expect(process.listenerCount("exit")).toBe(before + 1);
  await running;
  await expect(
    children.spawn(join(folder, "none"), [], { signal: never, cwd: folder, env: {} }),
  ).rejects.toThrow(Fault);
  expect(process.listenerCount("exit")).toBe(before);
});
