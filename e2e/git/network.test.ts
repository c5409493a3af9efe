import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { dirname, join, relative } from "node:path";

import { callTool, listTools, until } from "@suite/check/wires";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";

import { errorOf } from "../support/calls.ts";
import { freePort } from "../support/free-port.ts";
import { createPlace } from "../support/place.ts";
import type { Wire } from "../support/wire.ts";
import { failureOf, openGit, Plain, resultOf, startCommit } from "./program.ts";
import { itOnLinux, itOnUnix } from "../support/programs.ts";

const place = createPlace();
const outside = createPlace();
const hub = Plain.init(join(place, "hub.git"), "--bare");
const away = Plain.init(join(outside, "away.git"), "--bare");
let wire: Wire;
let daemon: ChildProcess;
let url: string;

beforeAll(async () => {
  const seed = Plain.init(join(outside, "seed"));
  seed.commit("first", { "a.txt": "a\n" });
  seed.git("push", "-q", hub.root, "main");
  seed.git("push", "-q", away.root, "main");
  const port = await freePort();
  const flags = [
    "--reuseaddr",
    "--export-all",
    "--enable=receive-pack",
    "--listen=127.0.0.1",
    `--port=${port}`,
  ];
  daemon = spawn("git", ["daemon", ...flags, `--base-path=${outside}`, outside], { stdio: "ignore" });
  url = `git://127.0.0.1:${port}/away.git`;
  // The daemon says nothing when it is ready.
  await until(async () => {
    const [code] = (await once(spawn("git", ["ls-remote", url], { stdio: "ignore" }), "exit")) as [number];
    return code === 0;
  }, "An answer of git daemon");
});
afterAll(() => daemon.kill());
beforeEach(async () => {
  wire = await openGit(["--all-tools", "--allow-network", "--allow-dir", place]);
});

describe("remotes", () => {
  it("clones over the network, with progress, and pushes and pulls", async () => {
    const { result, progress } = await cloneWithProgress();
    expect(result).toMatchObject({ branch: "main", path: join(place, "one") });
    expect(progress).not.toEqual([]);
    expect(progress).toEqual(progress.toSorted((a, b) => a - b));
    const one = new Plain(join(place, "one"));
    await resultOf(wire, "git_clone", { url, path: "two" });
    const two = new Plain(join(place, "two"));
    one.commit("more", { "b.txt": "b\n" });
    const at = { repo_path: "one" };
    expect(await resultOf(wire, "git_push", { ...at, dry_run: true })).toMatchObject({
      would_change: ["refs/heads/main"],
    });
    expect(away.git("rev-list", "--count", "main")).toBe("1");
    expect(await resultOf(wire, "git_push", at)).toMatchObject({ changed: ["refs/heads/main"] });
    expect(away.git("rev-list", "--count", "main")).toBe("2");
    expect(await resultOf(wire, "git_push", at)).toMatchObject({ changed: [] });
    expect(await resultOf(wire, "git_fetch", { repo_path: "two" })).toMatchObject({
      changed: ["refs/remotes/origin/HEAD", "refs/remotes/origin/main"],
    });
    two.write(".git/info/exclude", "b.txt\n");
    two.write("b.txt", "mine, and ignored\n");
    expect((await failureOf(wire, "git_pull", { repo_path: "two" })).text).toContain(
      "Untracked files would be",
    );
    expect(readFileSync(join(two.root, "b.txt"), "utf8")).toBe("mine, and ignored\n");
    rmSync(join(two.root, "b.txt"));
    expect(await resultOf(wire, "git_pull", { repo_path: "two" })).toMatchObject({
      outcome: "fast_forward",
      changed: ["b.txt"],
    });
    expect(two.git("rev-parse", "HEAD")).toBe(one.git("rev-parse", "HEAD"));
  });

  it("never replaces what the remote has", async () => {
    const two = new Plain(join(place, "two"));
    two.git("commit", "-q", "--amend", "-m", "another");
    expect((await failureOf(wire, "git_push", { repo_path: "two" })).code).toBe("conflict");
    const forced = await failureOf(wire, "git_push", { repo_path: "two", force: true });
    expect(forced).toMatchObject({ code: "permission_denied" });
    expect(forced.hint).toContain("--allow-force");
  });

  it("replaces only what was seen there, where the operator allows force", async () => {
    const other = await openGit(["--all-tools", "--allow-network", "--allow-force", "--allow-dir", place]);
    const two = new Plain(join(place, "two"));
    const call = { repo_path: "two", force: true };
    const one = new Plain(join(place, "one"));
    one.commit("unseen", { "c.txt": "c\n" });
    one.git("push", "-q");
    expect((await failureOf(other, "git_push", call)).code).toBe("conflict");
    two.git("fetch", "-q");
    await resultOf(other, "git_push", call);
    expect(away.git("rev-parse", "main")).toBe(two.git("rev-parse", "HEAD"));
  });

  itOnUnix("says what the remote declined, and what it took", async () => {
    const strict = Plain.init(join(place, "strict.git"), "--bare");
    const hook = join(strict.root, "hooks", "update");
    mkdirSync(dirname(hook), { recursive: true });
    writeFileSync(hook, '#!/bin/sh\ncase "$1" in refs/heads/*) exit 1;; esac\n', { mode: 0o755 });
    const plain = Plain.init(join(place, "declined"));
    plain.commit("first", { "a.txt": "a\n" });
    plain.git("tag", "v1");
    plain.git("remote", "add", "origin", strict.root);
    const trusting = await openGit([
      "--all-tools",
      "--allow-network",
      "--trust-repository",
      "--allow-dir",
      place,
    ]);
    const declined = await failureOf(trusting, "git_push", { repo_path: "declined", tags: true });
    expect(declined).toMatchObject({ code: "permission_denied", details: { pushed: ["refs/tags/v1"] } });
    expect(declined.text).toContain("[remote rejected] (hook declined)");
    expect(declined.text).toContain("pushed all the same: refs/tags/v1");
    expect(declined.text).not.toContain("git_pull");
    expect(strict.git("for-each-ref", "--format=%(refname)")).toBe("refs/tags/v1");
  });

  it("updates a mirror as it said it would, and leaves alone what is kept for git_undo", async () => {
    const source = new Plain(join(place, "source.git"));
    const mirror = new Plain(join(place, "mirror.git"));
    hub.git("clone", "-q", "--bare", hub.root, source.root);
    hub.git("clone", "-q", "--mirror", source.root, mirror.root);
    const at = { repo_path: "mirror.git" };
    await resultOf(wire, "git_create_branch", { ...at, branch_name: "extra" });
    const kept = mirror.git("for-each-ref", "refs/suite");
    expect(kept).not.toBe("");
    const tree = source.git("rev-parse", "main^{tree}");
    const commit = source.git("commit-tree", "-m", "more", "-p", "main", tree);
    for (const ref of ["refs/heads/main", "refs/heads/new", "refs/tags/new"])
      source.git("update-ref", ref, commit);
    const changed = ["refs/heads/extra", "refs/heads/main", "refs/heads/new", "refs/tags/new"];
    const tried = await resultOf(wire, "git_fetch", { ...at, prune: true, dry_run: true });
    expect(tried["would_change"]).toEqual(changed);
    expect(await resultOf(wire, "git_fetch", { ...at, prune: true })).toMatchObject({ changed });
    // And the fetch itself is listed.
    expect(mirror.git("for-each-ref", "refs/suite").split("\n")).toEqual([kept, expect.any(String)]);
  });

  it("clones repositories of this machine inside the boundary only", async () => {
    await resultOf(wire, "git_clone", { url: "hub.git", path: "three" });
    expect(existsSync(join(place, "three", "a.txt"))).toBe(true);
    expect(existsSync(join(place, "three", ".git", "hooks"))).toBe(false);
    for (const address of [away.root, `file://${away.root}`, "../away.git"]) {
      expect((await failureOf(wire, "git_clone", { url: address, path: "four" })).code).toBe(
        "permission_denied",
      );
    }
    expect(existsSync(join(place, "four"))).toBe(false);
    await resultOf(wire, "git_clone", { url: `file://${hub.root}`, path: "by-file" });
    hub.git("config", "remote.origin.promisor", "true");
    const partial = await failureOf(wire, "git_clone", { url: "hub.git", path: "five" });
    expect(partial).toMatchObject({ code: "permission_denied" });
    hub.git("config", "--remove-section", "remote.origin");
  });

  it("fetches from no place of this machine that git would take for another", async () => {
    const plain = Plain.init(join(place, "led"));
    plain.git("remote", "add", "origin", "../hub.git");
    await resultOf(wire, "git_fetch", { repo_path: "led" });
    for (const name of ["near", "a?", "a", "away.git", "x", "y"]) mkdirSync(join(plain.root, name));
    for (const name of ["near.git", "link", "x\ny"]) symlinkSync(away.root, join(plain.root, name));
    Plain.init(join(plain.root, "~", "home"));
    for (const address of [
      "./near",
      "./link/../away.git",
      `file://${plain.root}/a?/${relative(join(plain.root, "a"), away.root)}`,
      "./x\ny",
      "~/home",
    ]) {
      plain.git("remote", "set-url", "origin", address);
      const { code, text } = await failureOf(wire, "git_fetch", { repo_path: "led" });
      expect(["permission_denied", "not_found"], `${address}: ${text}`).toContain(code);
      // Git itself would have said that it is not there.
      expect(text).not.toContain("git fetch");
    }
  });

  it("leaves nothing of a clone that failed", async () => {
    const missing = await failureOf(wire, "git_clone", { url: url.replace("away", "missing"), path: "five" });
    expect(missing.code).not.toBe("internal");
    expect(existsSync(join(place, "five"))).toBe(false);
  });

  it("clones to one place once", async () => {
    const both = await Promise.all([1, 2].map(() => callTool(wire, "git_clone", { url, path: "once" })));
    expect(both.map((answer) => errorOf(answer).code ?? "done").toSorted()).toEqual(["conflict", "done"]);
    expect(existsSync(join(place, "once", "a.txt"))).toBe(true);
  });

  it("leaves the locks of others alone when it is cancelled", async () => {
    const silent = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void silent.close());
    await once(silent, "listening");
    const plain = Plain.init(join(place, "locked"));
    plain.commit("first", { "a.txt": "a\n" });
    const { port } = silent.address() as AddressInfo;
    plain.git("remote", "add", "origin", `git://127.0.0.1:${port}/silent.git`);
    const fetching = wire.send("tools/call", { name: "git_fetch", arguments: { repo_path: "locked" } });
    const [socket] = (await once(silent, "connection")) as [Socket];
    const commit = startCommit(plain);
    await until(commit.hasLock, "the commit to wait for its message");
    wire.cancel(fetching);
    await once(socket.resume(), "close");
    // Waits until the one before it has been cleaned up.
    await resultOf(wire, "git_tag", { repo_path: "locked", name: "after" });
    expect(commit.hasLock()).toBe(true);
    expect(await commit.end()).toBe(0);
  });

  itOnLinux("ends what git had started with a transfer that is cancelled", async () => {
    const home = createPlace();
    const pids = join(home, "pids");
    writeFileSync(join(home, "ssh"), `#!/bin/sh\nsleep 600 & echo $$ $! > '${pids}'\nwait\n`, {
      mode: 0o755,
    });
    writeFileSync(join(home, ".gitconfig"), `[core]\n\tsshCommand = ${join(home, "ssh")}\n`);
    const other = await openGit(["--allow-network", "--allow-dir", place], { env: { HOME: home } });
    const cloning = other.send("tools/call", {
      name: "git_clone",
      arguments: { url: "ssh://git@127.0.0.1/x.git", path: "hanging" },
    });
    await until(() => existsSync(pids) && readFileSync(pids, "utf8").endsWith("\n"), "git to start ssh");
    other.cancel(cloning);
    const running = (): readonly string[] =>
      readFileSync(pids, "utf8")
        .trim()
        .split(" ")
        .filter((pid) => existsSync(`/proc/${pid}`));
    await until(() => running().length === 0, "both to end");
    await until(() => !existsSync(join(place, "hanging")), "the directory to be removed");
    expect(running()).toEqual([]);
  });

  it.each(["ext::sh -c true", "-uevil", "fd::7", "ftp://127.0.0.1/x", "transport::https://x"])(
    "refuses %s",
    async (address) => {
      expect((await failureOf(wire, "git_clone", { url: address, path: "six" })).code).toBe(
        "permission_denied",
      );
    },
  );

  it("looks where a remote really leads", async () => {
    const three = new Plain(join(place, "three"));
    three.git("config", `url.${away.root}.insteadOf`, "https://example.org/x");
    three.git("config", "remote.origin.url", "https://example.org/x");
    expect((await failureOf(wire, "git_fetch", { repo_path: "three" })).code).toBe("permission_denied");
  });

  it("shows no credentials", async () => {
    const three = new Plain(join(place, "three"));
    three.git("config", "--remove-section", `url.${away.root}`);
    three.git("config", "remote.origin.url", "http://me:s3cret@127.0.0.1:1/x");
    const failure = await failureOf(wire, "git_fetch", { repo_path: "three" });
    expect(failure.code).toBe("unavailable");
    expect(JSON.stringify(failure)).not.toContain("s3cret");
  });

  it("makes repositories, without a template and inside the boundary only", async () => {
    await resultOf(wire, "git_init", { path: "fresh/deep" });
    expect(await resultOf(wire, "git_status", { repo_path: "fresh/deep" })).toMatchObject({ branch: "main" });
    expect((await failureOf(wire, "git_init", { path: "fresh/deep" })).code).toBe("conflict");
    expect((await failureOf(wire, "git_init", { path: join(outside, "x") })).code).toBe("permission_denied");
    expect((await failureOf(wire, "git_init", { path: "fresh/deep/.git/x" })).code).toBe("invalid_input");
  });
});

describe("the operator's word", () => {
  it("keeps tools that reach the network away", async () => {
    const offline = await openGit(["--all-tools", "--allow-dir", place]);
    const names = (await listTools(offline)).map(({ name }) => name);
    expect(names).toContain("git_init");
    expect(names).not.toContain("git_push");
  });

  it("has a person asked before a push", async () => {
    const asking = await openGit(["--allow-network", "--confirm-push", "--allow-dir", place], {
      revision: "2025-06-18",
    });
    // This client cannot ask.
    expect((await failureOf(asking, "git_push", { repo_path: "one" })).code).toBe("permission_denied");
    const { branch } = await resultOf(asking, "git_push", { repo_path: "two", dry_run: true });
    expect(branch).toBe("main");
  });
});

async function cloneWithProgress(): Promise<{ readonly result: unknown; readonly progress: number[] }> {
  const response = await callTool(wire, "git_clone", { url, path: "one" }, { meta: { progressToken: "p" } });
  const progress = wire.heard
    .filter(({ method }) => method === "notifications/progress")
    .map(({ params }) => params?.["progress"] as number);
  return { result: response.result?.["structuredContent"], progress };
}
