import type { ChildProcess } from "node:child_process";
import { platform } from "node:os";

import {
  type Children,
  type ChildResult,
  Fault,
  findProgram,
  type SpawnOptions,
} from "@suite/server-kit/domain";
import type { SimpleGit } from "simple-git";

/** In words of our own, because simple-git is bundled: nothing that we export can name it. */
export type OnProgress = (event: { readonly stage: string; readonly progress: number }) => void;

interface Transfer extends SpawnOptions {
  readonly env: { readonly [name: string]: string };
  readonly onProgress?: OnProgress;
}

/** simple-git's way to extend itself: it has no setting for process groups, and does not hand out its processes. */
interface Extensible {
  readonly _plugins: {
    append(type: "spawn.options", change: (options: object) => object): void;
    append(
      type: "spawn.after",
      hear: (_: undefined, started: { readonly spawned: ChildProcess }) => void,
    ): void;
  };
}

/**
 * simple-git refuses settings that could make git run programs, even ours, which prevent exactly that.
 * All arguments it gets have passed through our own types.
 */
const ALLOW_HARDENING = new Proxy({}, { get: () => true });

/**
 * simple-git starts git and reads its progress. The process is ours like any other: the same program and environment, in
 * its own group, counted, and ended with its descendants. See docs/decisions/0020-simple-git.md.
 */
export async function transfer(
  children: Children,
  args: readonly string[],
  options: Transfer,
): Promise<ChildResult> {
  const { cwd, env, onProgress } = options;
  const { simpleGit } = await import("simple-git");
  // By its name, the system would look for it in the working directory, too.
  const binary = findProgram("git", env);
  if (binary === undefined) throw new Fault("unavailable", "git is not installed", { retryable: false });
  const simple: SimpleGit = simpleGit({
    baseDir: cwd,
    binary,
    allowEnvironment: Object.keys(env),
    unsafe: ALLOW_HARDENING,
    // Whoever asked judges the exit code.
    errors: () => undefined,
    ...(onProgress && { progress: onProgress }),
  }).env({ ...env });
  const { _plugins: plugins } = simple as unknown as Extensible;
  let ended: Promise<ChildResult> | undefined;
  plugins.append("spawn.options", (given) => ({ ...given, detached: platform() !== "win32" }));
  plugins.append("spawn.after", (_, { spawned }) => {
    spawned.stdin?.end();
    const adopted = children.adopt(spawned, "git", options);
    // It is awaited below, once simple-git has noticed the end as well.
    adopted.catch(() => undefined);
    ended = adopted;
  });
  await simple.raw([...args]);
  if (ended === undefined) throw new Error("simple-git has started nothing");
  return ended;
}
