// What only Wine does, mended in a program with --require, so that it sees what Windows would show it.
// @ts-nocheck It replaces functions of node:fs, whatever their types are.
/* oxlint-disable typescript/no-unsafe-argument, typescript/no-unsafe-call, typescript/no-unsafe-member-access, typescript/no-unsafe-return, typescript/unbound-method */
const childProcess = require("node:child_process");
const fs = require("node:fs");
const { syncBuiltinESMExports } = require("node:module");
const { resolve } = require("node:path");

// Programs of Node.js that it starts are mended, too.
const { fork } = childProcess;
childProcess.fork = (path, args = [], options = {}) => {
  const execArgv = ["--require", __filename, ...(options.execArgv ?? [])];
  return fork(path, args, { ...options, execArgv });
};

// The creation time: Wine tells the time of the last change. Here every file has one that is the same in each process.
const FIRST_BIRTH = 1_600_000_000_000_000_000n;
function keepBirth(stats) {
  if (stats?.birthtimeMs === undefined) return stats;
  const birth = FIRST_BIRTH + BigInt(stats.ino);
  if (typeof stats.birthtimeMs === "bigint") {
    stats.birthtimeNs = birth;
    stats.birthtimeMs = birth / 1_000_000n;
  } else stats.birthtimeMs = Number(birth) / 1e6;
  stats.birthtime = new Date(Number(birth / 1_000_000n));
  return stats;
}
for (const name of ["stat", "lstat", "fstat"]) {
  const [later, now, promised] = [fs[name], fs[`${name}Sync`], fs.promises[name]];
  fs[`${name}Sync`] = (...args) => keepBirth(now(...args));
  fs[name] = (...args) => {
    const done = args.pop();
    return later(...args, (error, stats) => done(error, keepBirth(stats)));
  };
  if (promised) fs.promises[name] = async (...args) => keepBirth(await promised(...args));
}

// The real path of more than 260 characters: Wine's call fails.
const { native } = fs.realpathSync;
fs.realpathSync.native = (path, options) => {
  try {
    return native(path, options);
  } catch (error) {
    if (error.code !== "UNKNOWN" || path.length < 240) throw error;
    return fs.realpathSync(path, options);
  }
};

// A rename that changes only the case: Wine says that it is done, and does nothing.
const { renameSync } = fs;
fs.renameSync = (from, to) => {
  const [a, b] = [resolve(String(from)), resolve(String(to))];
  if (a === b || a.toLowerCase() !== b.toLowerCase()) return renameSync(from, to);
  const between = `${b}.${process.pid}.case`;
  renameSync(from, between);
  renameSync(between, to);
};

// A symbolic link: Wine says that it is made, and makes none. Windows refuses it to whoever lacks the privilege.
fs.symlinkSync = (target, path) => {
  const text = `EPERM: operation not permitted, symlink '${String(target)}' -> '${String(path)}'`;
  throw Object.assign(new Error(text), { code: "EPERM", errno: -4048, syscall: "symlink" });
};

// The memory of a process: Wine counts 80 MB of its own. A Node.js that has just started has 45 MB elsewhere.
const { rss } = process.memoryUsage;
const own = Math.max(0, rss() - 45_000_000);
process.memoryUsage.rss = () => rss() - own;

syncBuiltinESMExports();
