import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

import { beforeAll, expect, it } from "vitest";
import { parse } from "yaml";

import { startTokenIssuer } from "../auth/token-issuer.ts";
import { LocalRegistry } from "../registry/local-registry.ts";
import { startNginx } from "../scale/nginx.ts";
import { startRedis } from "../scale/redis-server.ts";
import { undoAfterTest, undoAtEnd } from "../support/afterwards.ts";
import { freePort } from "../support/free-port.ts";
import { describeWith } from "../support/programs.ts";
import { inRoot } from "../support/root.ts";

const run = promisify(execFile);
const MINUTE_MS = 60_000;
/** The one that HEALTHCHECK asks: containers share this machine's network. */
const ADDRESS = "http://127.0.0.1:3000";
const LIMITS = ["--ulimit", "nofile=1024:1024", "--ulimit", "nproc=1024:1024", "--network", "host"];

const ownBase = process.env["SUITE_IMAGE_BASE"];
const PROGRAMS = [
  "podman",
  "runc",
  "nginx",
  "redis-server",
  ...(ownBase === undefined ? ["debootstrap"] : []),
];

interface ComposeService {
  readonly command: readonly string[];
  readonly environment: { readonly [name: string]: string };
  readonly read_only: boolean;
  readonly tmpfs: readonly string[];
  readonly cap_drop: readonly string[];
  readonly security_opt: readonly string[];
  readonly stop_grace_period: string;
}

/** How podman starts a service as docker-compose.yml describes it, with these texts in place of others. */
function toRun(service: ComposeService, given: { readonly [text: string]: string }): readonly string[] {
  const fill = (text: string): string =>
    Object.entries(given).reduce(
      (filled, [name, value]) => filled.replace(name, value),
      text.replace(/\$\{([A-Z_]+):[^}]*\}/g, (_, name: string) => given[name] ?? ""),
    );
  return [
    ...(service.read_only ? ["--read-only"] : []),
    ...service.tmpfs.map((place) => `--tmpfs=${place}`),
    ...service.cap_drop.map((capability) => `--cap-drop=${capability}`),
    ...service.security_opt.map((option) => `--security-opt=${option.replace(/:true$/, "")}`),
    ...Object.entries(service.environment).map(([name, value]) => `--env=${name}=${fill(value)}`),
    `--stop-timeout=${Number.parseInt(service.stop_grace_period, 10)}`,
    "server",
    ...service.command.map(fill),
  ];
}

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
    const base = ownBase ?? (await makeBase());
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

  it("makes replicas of docker-compose.yml that share sessions behind nginx, and of which one may end", async () => {
    const password = "only for this test";
    const redis = await startRedis(["--requirepass", password]);
    undoAfterTest(() => redis.stop());
    const PUBLIC_URL = "http://127.0.0.1:8080";
    const issuer = await startTokenIssuer(`${PUBLIC_URL}/mcp`);
    undoAfterTest(() => issuer.close());
    const compose = await readFile(inRoot("deploy/docker-compose.yml"), "utf8");
    const { services } = parse(compose, { merge: true }) as { services: { [name: string]: ComposeService } };
    const replicas: { readonly id: string; readonly port: number; readonly metrics: number }[] = [];
    for (const name of ["replica-1", "replica-2"]) {
      const [port, metrics] = [await freePort(), await freePort()];
      const options = toRun(services[name] as ComposeService, {
        PUBLIC_URL,
        PUBLIC_HOST: "127.0.0.1",
        AUTH_ISSUER: issuer.url,
        REQUEST_STATE_SECRET: "s".repeat(64),
        REDIS_PASSWORD: password,
        "0.0.0.0:3000": `127.0.0.1:${port}`,
        "0.0.0.0:9464": `127.0.0.1:${metrics}`,
        "redis://redis:6379": redis.url,
      });
      const id = await podman("run", "--detach", ...LIMITS, ...options);
      undoAfterTest(() => podman("rm", "--force", id));
      replicas.push({ id, port, metrics });
    }
    const proxy = await startNginx(replicas.map(({ port }) => port));
    undoAfterTest(() => proxy.stop());
    const token = `Bearer ${issuer.sign({})}`;
    const post = (body: object, headers: { readonly [name: string]: string } = {}): Promise<Response> =>
      fetch(proxy.url, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          ...headers,
        },
        body: JSON.stringify({ jsonrpc: "2.0", ...body }),
      });
    const ping = { id: 1, method: "ping" };
    expect((await post(ping)).status).toBe(401);
    const initialize = {
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "c", version: "1" } },
    };
    const opened = await post(initialize, { authorization: token });
    const session = opened.headers.get("mcp-session-id") ?? "";
    const own = { authorization: token, "mcp-session-id": session, "mcp-protocol-version": "2025-06-18" };
    expect((await post({ method: "notifications/initialized" }, own)).status).toBe(202);
    for (const { metrics } of replicas) {
      const page = (): Promise<string> =>
        fetch(`http://127.0.0.1:${metrics}/metrics`).then((answer) => answer.text());
      await expect.poll(page, { timeout: MINUTE_MS }).toMatch(/^mcp_server_store_up 1$/m);
    }
    const ask = async (): Promise<readonly number[]> => {
      const answers = await Promise.all(Array.from({ length: 10 }, () => post(ping, own)));
      return answers.map(({ status }) => status);
    };
    const all = Array.from({ length: 10 }, () => 200);
    // Both are asked: nginx gives each request to the one that has fewer.
    expect(await ask()).toEqual(all);
    const { id = "" } = replicas[0] ?? {};
    await podman("stop", id);
    expect(await podman("wait", id)).toBe("0");
    expect(await ask()).toEqual(all);
  });

  it("makes an image that says what it can do", async () => {
    expect(await podman("run", "--rm", ...LIMITS, "server")).toContain("--allow-hosts");
  });
}
