// A Mac as far as Linux can play it, for a program with --require: its platform, no /proc, and a volume that keeps how names are
// spelled, but takes one in another case or Unicode form for the same. Hard links of symbolic links lead to their targets.
// @ts-nocheck It replaces functions of node:fs, whatever their types are.
/* oxlint-disable typescript/no-unsafe-argument, typescript/no-unsafe-call, typescript/no-unsafe-member-access, typescript/no-unsafe-return, typescript/unbound-method */
const fs = require("node:fs");
const { syncBuiltinESMExports } = require("node:module");
const os = require("node:os");
const { basename, dirname, join, resolve } = require("node:path");

Object.defineProperty(process, "platform", { value: "darwin" });
os.platform = () => "darwin";

const { lstatSync, readdirSync, realpathSync, renameSync, linkSync } = fs;
const { native } = realpathSync;
const fold = (name) => name.normalize("NFC").toLowerCase();
const exists = (path) => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

/** The spelling of a path on the disk; where it ends, as given. */
function find(given) {
  const text = String(given);
  if (text.includes("\0") || text.includes("\uFFFD") || given instanceof URL) return given;
  if (/^\/proc(?:\/|$)/.test(text))
    throw Object.assign(new Error(`ENOENT: no such file or directory, '${text}'`), { code: "ENOENT" });
  let path = "/";
  for (const name of resolve(text).split("/").slice(1)) {
    let spelled = name;
    try {
      if (!exists(join(path, name)))
        spelled = readdirSync(path).find((other) => fold(other) === fold(name)) ?? name;
    } catch {
      // Nothing below it, or nothing that may be seen.
    }
    path = join(path, spelled);
  }
  return path;
}

const isPath = (value) => typeof value === "string" || Buffer.isBuffer(value);
const BY_ONE =
  "access chmod exists lstat mkdir open opendir readdir readFile readlink rm rmdir stat unlink utimes writeFile";
for (const name of BY_ONE.split(" ").map((one) => `${one}Sync`)) {
  const original = fs[name];
  fs[name] = (path, ...rest) => original(isPath(path) ? find(path) : path, ...rest);
}
const { copyFileSync, symlinkSync, existsSync, watch } = fs;
fs.existsSync = (path) => {
  try {
    return existsSync(path);
  } catch {
    return false;
  }
};
fs.symlinkSync = (target, path, type) => symlinkSync(target, find(path), type);
fs.copyFileSync = (from, to, mode) => copyFileSync(find(from), find(to), mode);
fs.linkSync = (from, to) => linkSync(native(find(from)), find(to));
fs.renameSync = (from, to) => {
  const [source, target] = [find(from), find(to)];
  const isRespelling = source === target;
  renameSync(source, isRespelling ? join(dirname(target), basename(String(to))) : target);
};
fs.watch = (path, ...rest) => watch(find(path), ...rest);
fs.realpathSync = Object.assign((path, options) => find(realpathSync(find(path), options)), {
  native: (path, options) => find(native(find(path), options)),
});
syncBuiltinESMExports();
