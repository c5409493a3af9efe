import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { writeTree } from "./tree.ts";

const scripts = fileURLToPath(new URL("..", import.meta.url));

/** A clone in which nothing was installed yet, on a machine where `npx` does as it is told. */
function createClone(): {
  readonly run: (...args: readonly string[]) => { status: number | null; output: string };
  readonly root: string;
} {
  const root = writeTree({
    "package.json": JSON.stringify({ type: "module", packageManager: "pnpm@1.2.3" }),
    "pnpm-workspace.yaml": "packages:\n  - packages/*\n",
    "pnpm-lock.yaml": readFileSync(join(scripts, "../pnpm-lock.yaml"), "utf8"),
    "bin/npx": '#!/bin/sh\necho "npx $*"\n. "$(dirname "$0")/install"\n',
  });
  cpSync(scripts, join(root, "scripts"), {
    recursive: true,
    filter: (path) => !path.includes("node_modules"),
  });
  chmodSync(join(root, "bin/npx"), 0o755);
  const PATH = [join(root, "bin"), dirname(process.execPath), "/usr/bin", "/bin"].join(":");
  const run = (...given: readonly string[]) => {
    const args = [join(root, "scripts/run.mjs"), ...given];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8", env: { PATH } });
    return { status, output: stdout + stderr };
  };
  return { run, root };
}

/** Installs a turbo, and a pnpm that runs `bin/scripts` for install scripts. */
const INSTALLS = `mkdir -p node_modules/.bin; cd node_modules/.bin
printf '#!/bin/sh\\necho built "$@"' > turbo
printf '#!/bin/sh\\necho CC sqlite3.o; case $1 in rebuild) . bin/scripts; esac' > pnpm
chmod +x turbo pnpm; cd ../..; echo 'Progress: resolved 9, reused 0, downloaded 9, added 9, done'`;

it("says what to do after an install that failed, and installs again the next time", () => {
  const { run, root } = createClone();
  const write = (file: string, script: string): void => writeFileSync(join(root, "bin", file), script);

  write("install", "mkdir -p node_modules/pnpm; echo 'ERR_SOCKET_TIMEOUT' >&2; exit 3");
  const failed = run("build");
  expect(failed.status).toBe(3);
  expect(failed.output).toContain("ERR_SOCKET_TIMEOUT");
  expect(failed.output).toContain("Compiling needs Python 3, make, a C++ compiler and Node's headers");
  expect(failed.output).toContain("npm run build failed: install");
  expect(failed.output).not.toContain("turbo");

  write("install", INSTALLS);
  write("scripts", "echo 'gyp ERR! not ok' >&2; exit 4");
  const uncompiled = run("start");
  expect(uncompiled.status).toBe(4);
  for (const text of [
    "CC sqlite3.o",
    "gyp ERR! not ok",
    "Compiling needs",
    "npm run start failed: install",
  ]) {
    expect(uncompiled.output).toContain(text);
  }
  expect(uncompiled.output).not.toContain("── tour");

  write("scripts", "echo 'x/better-sqlite3 install: gyp info spawn make'");
  const compiled = run("build");
  expect(compiled).toMatchObject({ status: 0, output: expect.stringContaining("built") as unknown });
  expect(compiled.output).toContain("compiling better-sqlite3");
  expect(compiled.output).not.toContain("CC sqlite3.o");
  expect(run("build").output).not.toContain("install");
});

it("installs for the tour only what it shows, and for anything else the rest", () => {
  const { run, root } = createClone();
  writeFileSync(join(root, "bin/install"), INSTALLS);
  writeFileSync(join(root, "bin/scripts"), "");
  const toInstall = (job: string) => /── install: (.*)/.exec(run(job).output)?.[1];
  expect(toInstall("start")).toMatch(
    /^npx --yes --prefix scripts pnpm@1\.2\.3 install .*--filter @suite\/tour\.\.\. /,
  );
  expect(toInstall("start")).toBeUndefined();
  expect(toInstall("build")).toMatch(/^pnpm install (?!.*--filter)/);
  expect(toInstall("start")).toBeUndefined();
  expect(toInstall("build")).toBeUndefined();
});

it.each([["--help"], ["--server=git"]])("gives %s of e2e to the bed, not to vitest", (flag) => {
  const { run, root } = createClone();
  writeFileSync(join(root, "bin/install"), INSTALLS);
  writeFileSync(join(root, "bin/scripts"), "");
  expect(run("e2e", flag).output).toContain(`── bed: node e2e/dist/bed/main.js ${flag}`);
});

it("checks beside the unit tests, and goes on when both have ended", () => {
  const { run, root } = createClone();
  // Each waits for the other, five seconds at most.
  const met = ": > $0.here; for i in $(seq 500); do [ -e node_modules/.bin/$other.here ] || sleep 0.01; done";
  const programs = `
printf '#!/bin/sh\ncase "$*" in *e2e*) exit;; *unit*) other=turbo; ${met}; [ -e node_modules/.bin/turbo.here ] && echo units; esac' > node_modules/.bin/vitest
printf '#!/bin/sh\ncase "$*" in *lint*) other=vitest; ${met}; echo details; exit 5; esac' > node_modules/.bin/turbo
chmod +x node_modules/.bin/*`;
  writeFileSync(join(root, "bin/install"), INSTALLS + programs);
  writeFileSync(join(root, "bin/scripts"), "");
  const { status, output } = run("test");
  expect(output).toMatch(/── unit:[^]*── check:[^]*units[^]*── e2e:[^]*0 passed, 1 failed/);
  expect(output).toMatch(/details[^]*step "check" failed with exit code 5[^]*npm run test failed: check/);
  expect(status).toBe(5);
});
