import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { callTool, type Fields, isGood, type Message, textOf } from "@suite/check/wires";
import { expect } from "vitest";

import { oncePerFile, undoAtEnd } from "../support/afterwards.ts";
import { type CallError, errorOf } from "../support/calls.ts";
import { createPlace } from "../support/place.ts";
import { GIT } from "../support/servers.ts";
import { Wire, type WireOptions } from "../support/wire.ts";

const PATH = process.env["PATH"] ?? "";
/** Who commits in tests: a home of its own, so that nobody's configuration has a say. */
export const homeOfTests: () => string = oncePerFile(() => {
  const home = createPlace();
  writeFileSync(
    join(home, ".gitconfig"),
    "[user]\n\tname = Tess Ter\n\temail = tess@example.org\n[init]\n\tdefaultBranch = main\n[maintenance]\n\tauto = false\n",
  );
  return home;
});

/** The program with these arguments, and a client on its standard streams. */
export const openGit = (args: readonly string[], options: WireOptions = {}): Promise<Wire> =>
  Wire.open([...GIT, ...args], {
    revision: "2026-07-28",
    ...options,
    env: { PATH, HOME: homeOfTests(), ...options.env },
  });

/** An environment whose git first goes through these branches of a shell's `case` over its arguments. */
export function interposeGit(branches: string): { readonly PATH: string } {
  const folder = createPlace();
  const script = `#!/bin/sh\nPATH='${PATH}'\ncase " $* " in\n${branches}\nesac\nexec git "$@"\n`;
  writeFileSync(join(folder, "git"), script, { mode: 0o755 });
  return { PATH: `${folder}:${PATH}` };
}

/** Plain git, beside the server. */
export class Plain {
  readonly root: string;

  constructor(root: string) {
    this.root = root;
  }

  static init(root: string = createPlace(), ...args: string[]): Plain {
    mkdirSync(root, { recursive: true });
    const plain = new Plain(root);
    plain.git("init", "-q", ...args);
    return plain;
  }

  /** As it was committed last. Copied is much sooner than made again, run by run of git. */
  copyTo(root: string): Plain {
    cpSync(join(this.root, ".git"), join(root, ".git"), { recursive: true });
    const copy = new Plain(root);
    copy.git("reset", "-q", "--hard");
    return copy;
  }

  git(...args: string[]): string {
    return this.bytes(...args)
      .toString()
      .trimEnd();
  }

  bytes(...args: string[]): Buffer {
    const env = {
      PATH,
      HOME: homeOfTests(),
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_AUTHOR_DATE: "@1700000000 +0100",
      GIT_COMMITTER_DATE: "@1700000000 +0100",
    };
    return execFileSync("git", args, {
      cwd: this.root,
      env,
      stdio: ["ignore", "pipe", "pipe"],
      maxBuffer: 2 ** 28,
    });
  }

  /** A name may be bytes that are no text. */
  write(path: string | Buffer, content: string | Buffer): void {
    const whole = Buffer.concat([Buffer.from(`${this.root}/`), Buffer.from(path)]);
    if (typeof path === "string") mkdirSync(dirname(join(this.root, path)), { recursive: true });
    writeFileSync(whole, content);
  }

  commit(message: string, files: { readonly [path: string]: string }): string {
    for (const [path, content] of Object.entries(files)) this.write(path, content);
    this.git("add", "-A");
    this.git("commit", "-q", "--allow-empty", "-m", message);
    return this.git("rev-parse", "HEAD");
  }
}

/** A person's commit of a change to a.txt, whose editor is open until `end`: git holds the index, in a lock that it has closed. */
export function startCommit(plain: Plain): {
  readonly hasLock: () => boolean;
  readonly end: () => Promise<number | null>;
} {
  const [open, done] = ["open", "done"].map((name) => join(plain.root, ".git", `editor-${name}`));
  plain.write("a.txt", "by a person\n");
  const GIT_EDITOR = `touch '${open}'; while [ ! -e '${done}' ]; do sleep 0.01; done; echo message >`;
  const env = { PATH, HOME: homeOfTests(), GIT_EDITOR };
  const commit = spawn("git", ["commit", "-q", "-a"], { cwd: plain.root, env, stdio: "ignore" });
  const exited = once(commit, "exit") as Promise<[number | null]>;
  undoAtEnd(() => void commit.kill());
  return {
    hasLock: () => existsSync(open ?? "") && existsSync(join(plain.root, ".git", "index.lock")),
    async end() {
      writeFileSync(done ?? "", "");
      return (await exited)[0];
    },
  };
}

/** Everything that a write could change. */
export function stateOf(plain: Plain): string {
  const status = plain.bytes("status", "--porcelain=v2", "-z", "--branch", "--untracked-files=all");
  return [
    plain.git("for-each-ref", "refs/heads", "refs/tags", "--format=%(refname) %(objectname)"),
    // HEAD, and the index as far as it is not like HEAD. How far the other side is, a fetch may have changed.
    status.toString("latin1").replace(/# branch\.ab [^\0]*\0/, ""),
    plain.bytes("diff").toString("latin1"),
  ].join("\n---\n");
}

/** Of the git that is installed. */
export function isAtLeast(major: number, minor: number): boolean {
  const [, has, hasMinor] =
    /(\d+)\.(\d+)/.exec(execFileSync("git", ["--version"], { encoding: "utf8" })) ?? [];
  return Number(has) > major || (Number(has) === major && Number(hasMinor) >= minor);
}

/** Whether it can predict conflicts. */
export const PREDICTS: boolean = isAtLeast(2, 38);

/** The structured result of a call that must work. */
export async function resultOf<T = Fields>(wire: Wire, tool: string, args: Fields = {}): Promise<T> {
  const response = await callTool(wire, tool, args);
  expect(isGood(response), `${tool}: ${textOf(response)} ${JSON.stringify(response.error)}`).toBe(true);
  return response.result?.["structuredContent"] as T;
}

export interface FailedCall extends CallError {
  readonly text: string;
}

/** How a call fails that must not work. */
export async function failureOf(wire: Wire, tool: string, args: Fields = {}): Promise<FailedCall> {
  const response = await callTool(wire, tool, args);
  expect(
    response.result?.["isError"],
    `${tool} ${JSON.stringify(args)} should have failed: ${JSON.stringify(response)}`,
  ).toBe(true);
  return { ...errorOf(response), text: textOf(response) };
}

export interface Repository {
  readonly wire: Wire;
  readonly plain: Plain;
  /** Names the repository to tools. */
  readonly at: { readonly repo_path: string };
  /** The answer to a call there. */
  readonly call: (tool: string, args?: Fields) => Promise<Message>;
  /** The structured result of a call there that must work. */
  readonly works: <T = Fields>(tool: string, args?: Fields) => Promise<T>;
  /** How a call there fails that must not work. */
  readonly fails: (tool: string, args?: Fields) => Promise<FailedCall>;
  /** What is in one of its files. */
  readonly read: (path: string) => string;
}

const sharedPlace = oncePerFile(createPlace);
const sharedServer = oncePerFile(() =>
  openGit(["--all-tools", "--allow-dir", sharedPlace()], { keepForFile: true }),
);

/** A repository of the test's own, and a server that may use what is beside it: that of the file, unless it is started with options. */
export async function openRepository(
  make: (root: string) => Plain,
  ...options: readonly string[]
): Promise<Repository> {
  const place = mkdtempSync(join(sharedPlace(), "of-one-test-"));
  const plain = make(join(place, "repository"));
  const wire = await (options.length > 0
    ? openGit(["--all-tools", ...options, "--allow-dir", place])
    : sharedServer());
  const at = { repo_path: plain.root };
  return {
    wire,
    plain,
    at,
    call: (tool, args = {}) => callTool(wire, tool, { ...at, ...args }),
    works: (tool, args = {}) => resultOf(wire, tool, { ...at, ...args }),
    fails: (tool, args = {}) => failureOf(wire, tool, { ...at, ...args }),
    read: (path) => readFileSync(join(plain.root, path), "utf8"),
  };
}

/** One without a commit. */
export const openEmpty = (): Promise<Repository> => openRepository((root) => Plain.init(root));
