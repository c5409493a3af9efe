import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { needs } from "@suite/core/testing";
import { afterEach, beforeEach, expect, it } from "vitest";

import { findUnheld } from "../../../src/domain/processes/find-unheld.ts";
import { waitUntil } from "./processes.ts";

let folder: string;
let files: string[];
const started: ChildProcess[] = [];
const strangers: number[] = [];
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "unheld-")));
  mkdirSync(join(folder, "in"));
  files = ["a.lock", "b.lock"].map((name) => join(folder, name));
  for (const file of files) writeFileSync(file, "");
});
afterEach(() => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
  for (const pid of strangers.splice(0)) process.kill(pid, "SIGKILL");
  rmSync(folder, { recursive: true, maxRetries: 20 });
});

const find = (): readonly string[] => findUnheld(files, "holder", [join(folder, "in")]);

/** Runs a command as a stranger: its parent is a shell. */
async function startStranger(command: string, cwd: string = folder): Promise<void> {
  const shell = spawn("sh", ["-c", `${command} & echo $!; wait`], { cwd });
  started.push(shell);
  const [line] = (await once(shell.stdout, "data")) as [Buffer];
  strangers.push(Number(line.toString()));
}

function makeProgram(name: string): string {
  const file = join(folder, name);
  copyFileSync("/bin/sleep", file);
  return file;
}

needs(it, "/proc")("finds what nobody has open", async () => {
  expect(find()).toEqual(files);
  await startStranger(`sleep 60 3>'${files[0]}'`);
  await waitUntil(() => find().length === 1, "the stranger to open it");
  expect(find()).toEqual([files[1]]);
});

needs(it, "/proc").each(["holder", "holder-helper"])("finds nothing where %s is at work", async (name) => {
  const program = makeProgram(name);
  await startStranger(`'${program}' 60`);
  expect(find()).toEqual(files);
  await startStranger(`exec '${program}' 60`, join(folder, "in"));
  await waitUntil(() => find().length === 0, "the stranger to start");
});

needs(it, "/proc")("does not count what this process has started", async () => {
  const child = spawn(makeProgram("holder"), ["60"], { cwd: join(folder, "in") });
  started.push(child);
  await once(child, "spawn");
  expect(find()).toEqual(files);
});
