import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { callTool, textOf, until } from "@suite/check/wires";
import { describe, expect, it } from "vitest";

import { isRunning } from "../clients/outsider.ts";
import { createPlace } from "../support/place.ts";
import { createHistory } from "./history.ts";
import { failureOf, isAtLeast, openGit, type Plain, resultOf } from "./program.ts";
import { GIT } from "../support/servers.ts";
import type { Wire } from "../support/wire.ts";
import { describeOnUnix } from "../support/programs.ts";

/** A hook or a filter that leaves a file, does what it is told, and passes on what it reads. */
function makeProgram(path: string, mark: string, then = "exec cat"): void {
  writeFileSync(path, `#!/bin/sh\necho $$ > '${mark}'\n${then}\n`);
  chmodSync(path, 0o755);
}

/** What git wants to hear of a program that signs. */
const SIGNS = [
  "cat >/dev/null",
  "echo '[GNUPG:] BEGIN_SIGNING' >&2",
  "echo '[GNUPG:] SIG_CREATED D' >&2",
  "echo '-----BEGIN PGP SIGNATURE-----'",
].join("\n");

function createHooked(): { plain: Plain; mark: string; filtered: string } {
  const plain = createHistory();
  const place = createPlace();
  const [mark, filtered] = [join(place, "hook"), join(place, "filter")];
  makeProgram(join(plain.root, ".git/hooks/pre-commit"), mark, "exit 0");
  makeProgram(join(place, "filter.sh"), filtered, "tr a-z A-Z");
  plain.git("config", "filter.loud.clean", join(place, "filter.sh"));
  plain.write(".gitattributes", "*.loud filter=loud\n");
  return { plain, mark, filtered };
}

/** A commit that a hook refuses is staged no longer, unless somebody else is at work in the index. */
async function expectRefusals(wire: Wire, plain: Plain, mark: string): Promise<void> {
  for (const [meanwhile, staged] of [
    [":", ""],
    ["git add theirs.txt", "ours.txt\ntheirs.txt"],
    ["touch .git/index.lock", "ours.txt"],
  ] as const) {
    makeProgram(join(plain.root, ".git/hooks/pre-commit"), mark, `${meanwhile}\necho Not so! >&2\nexit 1`);
    plain.write("ours.txt", "ours\n");
    plain.write("theirs.txt", "theirs\n");
    const { text } = await failureOf(wire, "git_commit", { message: "refused", files: ["ours.txt"] });
    expect(text).toContain("Not so!");
    rmSync(join(plain.root, ".git/index.lock"), { force: true });
    expect(plain.git("diff", "--cached", "--name-only"), meanwhile).toBe(staged);
    plain.git("reset", "-q");
  }
}

describeOnUnix("programs of a repository", () => {
  describe("the operator", () => {
    it("decides whether hooks and filters of a repository run", async () => {
      for (const [args, isTrusted] of [
        [[], false],
        [["--trust-repository"], true],
      ] as const) {
        const { plain, mark, filtered } = createHooked();
        const wire = await openGit([...args, plain.root]);
        plain.write("x.loud", "quiet\n");
        const files = ["x.loud", ".gitattributes"];
        if (!isTrusted) await failureOf(wire, "git_commit", { message: "x", files });
        await resultOf(wire, "git_commit", { message: "x", files: isTrusted ? files : files.slice(1) });
        expect([existsSync(mark), existsSync(filtered)]).toEqual([isTrusted, isTrusted]);
        if (!isTrusted) continue;
        expect(plain.git("cat-file", "blob", "HEAD:x.loud")).toBe("QUIET");
        await expectRefusals(wire, plain, mark);
      }
    });

    it("decides whether commits are signed", async () => {
      const home = createPlace();
      const key = join(home, "key");
      spawnSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", key]);
      const program = join(home, "gpg.sh");
      makeProgram(program, join(home, "mark"), SIGNS);
      // Git signs with ssh since 2.34.
      const how = isAtLeast(2, 34) ? "format = ssh" : `program = ${program}`;
      writeFileSync(
        join(home, ".gitconfig"),
        `[user]\n\tname = Signer\n\temail = s@example.org\n\tsigningKey = ${key}.pub\n[gpg]\n\t${how}\n[commit]\n\tgpgSign = true\n`,
      );
      for (const [args, isSigned] of [
        [[], false],
        [["--sign"], true],
      ] as const) {
        const plain = createHistory();
        const wire = await openGit([...args, plain.root], { env: { HOME: home } });
        await resultOf(wire, "git_commit", { message: "signed?", allow_empty: true });
        expect(plain.git("cat-file", "commit", "HEAD").includes("SIGNATURE-----")).toBe(isSigned);
        expect(plain.git("log", "-1", "--format=%an")).toBe("Signer");
      }
    });

    it("decides about line endings for the whole system, as the installer of Git for Windows does", async () => {
      const home = createPlace();
      const [system, helper] = [join(home, "gitconfig"), join(home, "helper")];
      writeFileSync(system, `[core]\n\tautocrlf = true\n[alias]\n\tstatus = !touch ${helper}\n`);
      const plain = createHistory();
      plain.commit("lines", { "lines.txt": "one\ntwo\n" });
      const wire = await openGit([plain.root], { env: { GIT_CONFIG_SYSTEM: system } });
      // As such a checkout writes it, with one line edited.
      plain.write("lines.txt", "one\r\nzwei\r\n");
      await resultOf(wire, "git_commit", { message: "one line", files: ["lines.txt"] });
      expect(plain.git("cat-file", "blob", "HEAD:lines.txt")).toBe("one\nzwei");
      expect(plain.git("diff", "--numstat", "HEAD~1", "HEAD")).toBe("1\t1\tlines.txt");
      expect(existsSync(helper)).toBe(false);
    });

    it("is told what to give for a tool that the server points to and does not offer", async () => {
      const plain = createHistory();
      expect(() => plain.git("merge", "feature")).toThrow(/Command failed/);
      const needs =
        "in the group history: start the server with --all-tools, or --tools core,branches,conflicts,history";
      const daily = await openGit([plain.root]);
      expect((await failureOf(daily, "git_show", { revision: "HEAD:a.txt" })).hint).toContain(
        `Not offered here: git_read_file (${needs}).`,
      );
      const wire = await openGit(["--tools", "core", plain.root]);
      const { hint } = await failureOf(wire, "git_commit", { message: "x" });
      expect(hint).toMatch(
        /^Resolve them with git_resolve_conflict .* with git_add\. Not offered here: git_resolve_conflict, git_conflicts \((.*)\)\.$/,
      );
      const { result } = await wire.request("prompts/get", { name: "resolve_conflicts", arguments: {} });
      expect(JSON.stringify(result)).toContain(
        "Not offered here: git_conflicts, git_resolve_conflict, git_continue_or_abort (",
      );
      plain.git("merge", "--quit");
      expect((await failureOf(wire, "git_checkout", { branch_name: "feature" })).hint).toBe(hint);
      const reader = await openGit(["--read-only", "--tools", "git_list_hunks", plain.root]);
      const note =
        "stage them with git_add. Not offered here: git_add (this server was started with --read-only).";
      expect(textOf(await callTool(reader, "git_list_hunks", { paths: ["latin.txt"] }))).toContain(note);
      const whole = await openGit(["--all-tools", plain.root]);
      expect((await failureOf(whole, "git_commit", { message: "x" })).hint).not.toContain("Not offered");
    });

    it("can see what is allowed", () => {
      const plain = createHistory();
      const { stdout } = spawnSync(
        process.execPath,
        [...GIT.slice(1), "--trust-repository", plain.root, "--print-config"],
        { encoding: "utf8" },
      );
      expect(stdout).toMatch(/trustRepository|trust-repository/);
    });
  });

  describe("a call that is stopped", () => {
    it("ends git and all that git started", async () => {
      const { plain, mark } = createHooked();
      makeProgram(join(plain.root, ".git/hooks/pre-commit"), mark, "sleep 60 & wait");
      const wire = await openGit(["--trust-repository", plain.root]);
      // Longer where a busy machine does not come as far as to the hook.
      for (let seconds = 1.5; !existsSync(mark); seconds *= 4) {
        const meta = { "dev.suite/timeoutMs": seconds * 1000 };
        const response = await callTool(wire, "git_commit", { message: "slow", allow_empty: true }, { meta });
        expect(response.result).toMatchObject({ isError: true });
        expect(textOf(response)).toContain(`this was not done within ${seconds} seconds`);
      }
      const pid = Number(readFileSync(mark, "utf8"));
      await until(() => !isRunning(pid), "the hook to be gone");
      // Nothing is in the way of the next one.
      makeProgram(join(plain.root, ".git/hooks/pre-commit"), mark, "exit 0");
      await resultOf(wire, "git_commit", { message: "quick", allow_empty: true });
      expect(plain.git("log", "-1", "--format=%s")).toBe("quick");
    });
  });
});
