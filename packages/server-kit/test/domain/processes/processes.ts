import { setTimeout as sleep } from "node:timers/promises";

export async function waitUntil(isSo: () => boolean, what: string): Promise<void> {
  const deadline = performance.now() + 60_000;
  while (!isSo()) {
    if (performance.now() > deadline) throw new Error(`waited in vain: ${what}`);
    await sleep(10);
  }
}

/** For a test that fails: far longer than any takes, but not forever. */
export const LIFETIME_MS = 120_000;

/** A program for `node -e` that starts another and writes both numbers to a file. Neither ends when it is asked to. */
export const toFamily = (file: string, isEscaping = false): string => `
  process.on("SIGTERM", () => {});
  process.on("SIGINT", () => {});
  const grandchild = require("node:child_process").spawn(
    process.execPath,
    ["-e", 'process.on("SIGTERM", () => {}); setTimeout(() => {}, ${LIFETIME_MS}); console.log("ready")'],
    { stdio: ["ignore", "pipe", "inherit"], detached: ${isEscaping} },
  );
  grandchild.stdout.once("data", () => {
    const fs = require("node:fs");
    fs.writeFileSync(${JSON.stringify(file)} + ".new", JSON.stringify([process.pid, grandchild.pid]));
    fs.renameSync(${JSON.stringify(file)} + ".new", ${JSON.stringify(file)});
  });
  setTimeout(() => process.exit(1), ${LIFETIME_MS});
`;
