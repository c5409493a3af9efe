import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { afterEach } from "vitest";

const sqlite = createRequire(import.meta.url).resolve("better-sqlite3");

/** Starts other programs that have a database open; they say on stdout when they have done what the script says. */
export function useOtherPrograms(): (file: string, script: string) => Promise<ChildProcess> {
  const others: ChildProcess[] = [];
  afterEach(() => {
    for (const child of others.splice(0)) child.kill("SIGKILL");
  });
  return async (file, script) => {
    const code = `
      const database = new (require(${JSON.stringify(sqlite)}))(${JSON.stringify(file)});
      const sleep = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
      const ready = () => require("node:fs").writeSync(1, "ready");
      ${script}`;
    const child = spawn(process.execPath, ["-e", code], { stdio: ["ignore", "pipe", "inherit"] });
    others.push(child);
    await once(child.stdout, "data");
    return child;
  };
}
