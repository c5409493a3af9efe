import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
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
  cpSync(scripts, join(root, "scripts"), { recursive: true });
  chmodSync(join(root, "bin/npx"), 0o755);
  const PATH = [join(root, "bin"), dirname(process.execPath), "/usr/bin", "/bin"].join(":");
  const run = (...given: readonly string[]) => {
    const args = [join(root, "scripts/run.mjs"), ...given];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8", env: { PATH } });
    return { status, output: stdout + stderr };
  };
  return { run, root };
}

const TURBO = "node_modules/.bin/turbo";
const INSTALLS_TURBO = `mkdir -p node_modules/.bin; printf '#!/bin/sh\\necho built' > ${TURBO}; chmod +x ${TURBO}`;

it("says what to do after an install that failed, and installs again the next time", () => {
  const { run, root } = createClone();
  const installs = (script: string): void => writeFileSync(join(root, "bin/install"), script);

  installs("mkdir -p node_modules/pnpm; echo 'gyp ERR! not ok' >&2; exit 3");
  const failed = run("build");
  expect(failed.status).toBe(3);
  expect(failed.output).toContain("gyp ERR! not ok");
  expect(failed.output).toContain("Compiling needs Python 3, make, a C++ compiler and Node's headers");
  expect(failed.output).toContain("npm run build failed: install");
  expect(failed.output).not.toContain("turbo");

  installs(INSTALLS_TURBO);
  const second = run("build");
  expect(second).toMatchObject({ status: 0, output: expect.stringContaining("built") as unknown });
  expect(second.output).toContain("npx --yes --prefix scripts pnpm@1.2.3 install");

  expect(existsSync(join(root, "node_modules/.install-stamp"))).toBe(true);
  expect(run("build").output).not.toContain("npx");
});

it.each([["--help"], ["--command=node my-server.js"]])(
  "gives %s of e2e to the bed, not to vitest",
  (flag) => {
    const { run, root } = createClone();
    writeFileSync(join(root, "bin/install"), INSTALLS_TURBO);
    expect(run("e2e", flag).output).toContain(`── bed: node e2e/dist/bed/main.js ${flag}`);
  },
);
