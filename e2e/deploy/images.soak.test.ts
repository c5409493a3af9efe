import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

import { beforeAll, expect, it } from "vitest";

import { LocalRegistry } from "../registry/local-registry.ts";
import { undoAfterTest, undoAtEnd } from "../support/afterwards.ts";
import { describeWith } from "../support/programs.ts";
import { inRoot } from "../support/root.ts";

const run = promisify(execFile);
const MINUTE_MS = 60_000;
/** The one that HEALTHCHECK asks: containers share this machine's network. */
const ADDRESS = "http://127.0.0.1:3000";
const LIMITS = ["--ulimit", "nofile=1024:1024", "--ulimit", "nproc=1024:1024", "--network", "host"];

const PROGRAMS = ["podman", "runc", "debootstrap"];

describeWith(PROGRAMS, "deploy/Dockerfile", imageTests, `apt-get install ${PROGRAMS.join(" ")}`);

function imageTests(): void {
  let folder: string;
  const podman = async (...args: readonly string[]): Promise<string> => {
    const storage = ["--root", join(folder, "storage"), "--runroot", join(folder, "running")];
    const { stdout } = await run("podman", [...storage, "--runtime", "runc", ...args], { cwd: folder });
    return stdout.trim();
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "suite-images-"));
    undoAtEnd(() => rm(folder, { recursive: true, force: true }));
    const registry = await LocalRegistry.start(join(folder, "registry"));
    undoAtEnd(() => registry.close());
    const base = process.env["SUITE_IMAGE_BASE"] ?? (await makeBase());
    // podman keeps its layers mounted.
    undoAtEnd(() => run("umount", [join(folder, "storage/overlay")]).catch(() => undefined));
    const given = [`BUILD_BASE=${base}`, `BASE=${base}`, "SERVER=fetch"].flatMap((arg) => [
      "--build-arg",
      arg,
    ]);
    const settings = ["--env", `npm_config_registry=${registry.url}`, "--format", "docker", ...LIMITS];
    await podman("build", "--tag", "server", ...settings, ...given, inRoot("deploy"));
  }, 20 * MINUTE_MS);

  /** Debian with this Node, where node:22 cannot be pulled. */
  async function makeBase(): Promise<string> {
    const debian = join(folder, "debian");
    await run("debootstrap", ["--variant=minbase", "--include=ca-certificates,git", "bookworm", debian]);
    const local = join(debian, "usr/local");
    await cp(process.execPath, join(local, "bin/node"));
    const npm = dirname(dirname((await run("sh", ["-c", 'realpath "$(command -v npm)"'])).stdout.trim()));
    await mkdir(join(local, "lib/node_modules"), { recursive: true });
    await cp(npm, join(local, "lib/node_modules/npm"), { recursive: true });
    await symlink("../lib/node_modules/npm/bin/npm-cli.js", join(local, "bin/npm"));
    await run("chroot", [debian, "useradd", "--create-home", "node"]);
    const archive = join(folder, "debian.tar");
    await run("tar", ["-C", debian, "-cf", archive, "."]);
    await podman("import", archive, "localhost/base");
    return "localhost/base";
  }

  it("makes an image that serves without capabilities on a read-only file system, and ends in its time", async () => {
    const strict = [
      "--read-only",
      "--tmpfs",
      "/tmp",
      "--cap-drop",
      "ALL",
      "--security-opt",
      "no-new-privileges",
    ];
    const options = ["--http", "127.0.0.1:3000", "--auth-issuer", "https://login.example.com"];
    const resource = ["--auth-resource", `${ADDRESS}/mcp`];
    const id = await podman("run", "--detach", ...LIMITS, ...strict, "server", ...options, ...resource);
    undoAfterTest(() => podman("rm", "--force", id));
    const health = (): Promise<number> =>
      fetch(`${ADDRESS}/healthz`).then(
        ({ status }) => status,
        () => 0,
      );
    await expect.poll(health, { timeout: MINUTE_MS }).toBe(200);
    expect((await fetch(`${ADDRESS}/mcp`, { method: "POST", body: "{}" })).status).toBe(401);
    // Fails unless the image's own check succeeds.
    await podman("healthcheck", "run", id);
    expect(await podman("exec", id, "id", "-un")).toBe("node");
    await expect(podman("exec", id, "touch", "/app/x")).rejects.toThrow("Read-only file system");
    // SIGTERM: after ten seconds it would be killed, and the code another one.
    await podman("stop", "--time", "10", id);
    expect(await podman("wait", id)).toBe("0");
  });

  it("makes an image that says what it can do", async () => {
    expect(await podman("run", "--rm", ...LIMITS, "server")).toContain("--allow-hosts");
  });
}
