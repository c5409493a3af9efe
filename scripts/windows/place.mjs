// The Windows that tests run on: node.exe and Git for Windows under Wine. `prefix.mjs` makes it.
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** 2 GB, so it is kept between runs and shared by all clones. */
export const home = process.env["SUITE_WINDOWS"] ?? join(homedir(), ".cache", "suite-windows");
const drive = join(home, "prefix/drive_c");
/** What Windows calls C:\. The prefix may be a link. */
export const driveC = existsSync(drive) ? realpathSync(drive) : drive;
/** Runs a program of Windows. Its standard streams must be files or /dev/null: node.exe cannot use pipes of Linux. */
export const run = join(home, "win");
const made = join(home, "made.json");

/** What is in it, or undefined if it has not been made. @returns {{ nodes: string[]; git: string } | undefined} */
export const findWindows = () => (existsSync(made) ? JSON.parse(readFileSync(made, "utf8")) : undefined);

/** @param {string} path on this system, below C:\. */
export const toWindowsPath = (path) => `C:${path.slice(driveC.length).replaceAll("/", "\\")}`;

/** What node.exe and git under Wine cannot show: these need a real Windows. */
export const NOT_IN_WINE = [
  "symbolic links and junctions, made or met: Wine makes none, and shows those of Linux as what they lead to",
  "a file that another program holds against renaming or deletion: Node shares all that it opens",
  "8.3 names, alternate data streams and device names behind the refusal: they are plain files there",
  "a directory that heeds case",
  "files that are read-only: root may write them",
  "console windows, and Ctrl-C from a console",
  "network shares",
];
