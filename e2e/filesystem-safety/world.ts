import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { onTestFinished } from "vitest";

/** What lies outside the root, by its path: kind, mode, time of change, and bytes. */
export type OutsideState = { readonly [path: string]: string };

/** Where files are in memory, if there is such a place: nothing waits for a disk, and thousands of writes take seconds. */
export const FAST: string = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

/** Trees may be deeper than node:fs can follow; on Windows they are not. */
function removeDeep(path: string): void {
  if (process.platform === "win32") rmSync(path, { recursive: true, force: true });
  else execFileSync("rm", ["-rf", path]);
}

/** A root that a server may use, and around it what it may not: nothing of that may be seen or changed. */
export class World {
  readonly base: string;
  readonly root: string;
  readonly outside: string;
  /** In every file outside, and in the names of some that no test ever says. */
  readonly marker: string = `marker${randomBytes(12).toString("hex")}`;

  constructor(name = "root", parent: string = tmpdir()) {
    this.base = realpathSync(mkdtempSync(join(parent, "suite-safety-")));
    this.root = join(this.base, name);
    this.outside = join(this.base, "outside");
    onTestFinished(() => removeDeep(this.base));
    mkdirSync(this.root);
    this.plantOutside("outside/file");
    this.plantOutside("outside/deep/er/file");
    this.plantOutside(`outside/${this.marker}`);
    this.plantOutside(`outside/deep/${this.marker}`);
    this.plantOutside(`${name}-evil/file`);
  }

  at(...names: readonly string[]): string {
    return join(this.root, ...names);
  }

  write(path: string, content: string | Uint8Array = "inside\n"): string {
    const whole = this.at(path);
    mkdirSync(dirname(whole), { recursive: true });
    writeFileSync(whole, content);
    return whole;
  }

  link(target: string, path: string): string {
    const whole = this.at(path);
    mkdirSync(dirname(whole), { recursive: true });
    symlinkSync(target, whole);
    return whole;
  }

  plantOutside(path: string): string {
    const whole = join(this.base, path);
    mkdirSync(dirname(whole), { recursive: true });
    writeFileSync(whole, `${this.marker}\n${path}\n`);
    return whole;
  }

  /** Takes everything from the root but what a server keeps there. */
  clear(): void {
    for (const name of readdirSync(this.root))
      if (name !== ".suite-trash") rmSync(this.at(name), { recursive: true });
  }

  /** Everything but the root. */
  observe(): OutsideState {
    const seen: { [path: string]: string } = {};
    const ahead = [this.base];
    for (let path = ahead.pop(); path !== undefined; path = ahead.pop()) {
      if (path === this.root) continue;
      const stats = lstatSync(path);
      const isDirectory = stats.isDirectory();
      seen[path] = `${stats.mode} ${stats.nlink} ${stats.mtimeMs} ${contentOf(path)}`;
      // The root comes and goes in its own directory, and tests put things there.
      if (path === this.base) seen[path] = readdirSync(path).join(" ");
      if (isDirectory) for (const name of readdirSync(path)) ahead.push(join(path, name));
    }
    return seen;
  }

  /** Paths below the root that hold what is outside; links are not followed. */
  findStolen(): readonly string[] {
    return [...walk(this.root)].filter(
      (path) => path.includes(this.marker) || contentOf(path).includes(this.marker),
    );
  }

  /** What servers leave beside files while they change them. */
  findLeftovers(): readonly string[] {
    return [...walk(this.root)].filter((path) => path.endsWith(".suite-tmp"));
  }
}

export function* walk(directory: string): Generator<string> {
  const ahead = [directory];
  for (let path = ahead.pop(); path !== undefined; path = ahead.pop()) {
    yield path;
    for (const name of namesIn(path)) ahead.push(join(path, name));
  }
}

/** Nothing of what is gone by now, or is no directory. */
function namesIn(path: string): readonly string[] {
  try {
    return lstatSync(path).isDirectory() ? readdirSync(path) : [];
  } catch {
    return [];
  }
}

function contentOf(path: string): string {
  try {
    const stats = lstatSync(path);
    if (stats.isSymbolicLink()) return readlinkSync(path);
    // Large files are all holes: nothing outside is that large.
    return stats.isFile() && stats.size < 64 * 1024 * 1024 ? readFileSync(path, "latin1") : "";
  } catch {
    return "";
  }
}
