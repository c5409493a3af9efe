import type { ChildResult, PathGuard, StopSignal } from "@suite/server-kit/domain";

import type { Repository } from "../repository/repository.ts";
import type { Git, RunOptions } from "./git.ts";

type Watcher = Pick<RunOptions, "onStart" | "onEnd" | "onKill">;
export type GitCallOptions = Omit<RunOptions, "signal" | keyof Watcher>;

/** A call that works in one repository: git runs there until the call is stopped. */
export class RepositoryCall {
  readonly git: Git;
  readonly guard: PathGuard;
  readonly repository: Repository;
  readonly signal: StopSignal;
  readonly #watcher: Watcher;

  constructor(git: Git, guard: PathGuard, repository: Repository, signal: StopSignal, watcher: Watcher = {}) {
    this.git = git;
    this.guard = guard;
    this.repository = repository;
    this.signal = signal;
    this.#watcher = watcher;
  }

  /** The same call with another stop signal. */
  until(signal: StopSignal): RepositoryCall {
    return new RepositoryCall(this.git, this.guard, this.repository, signal, this.#watcher);
  }

  /** The same call, reporting every git process to the watcher. */
  watchedBy(watcher: Watcher): RepositoryCall {
    return new RepositoryCall(this.git, this.guard, this.repository, this.signal, watcher);
  }

  /** The same call, overriding more settings. */
  overriding(settings: readonly string[]): RepositoryCall {
    const overrides = (): readonly string[] => [...new Set([...this.repository.overrides(), ...settings])];
    const repository = { ...this.repository, overrides };
    return new RepositoryCall(this.git, this.guard, repository, this.signal, this.#watcher);
  }

  run(args: readonly string[], options: GitCallOptions = {}): Promise<ChildResult> {
    return this.git.run(this.repository, args, { ...options, ...this.#watcher, signal: this.signal });
  }

  /** Git's output as text, for output that is known to be short. */
  async text(args: readonly string[], options: GitCallOptions = {}): Promise<string> {
    return (await this.run(args, options)).stdout.toString();
  }

  /** Whether git exits with 0; 1 means no. */
  async asks(args: readonly string[]): Promise<boolean> {
    return (await this.run(args, { accept: [1] })).code === 0;
  }

  /** The id of what a name means, or "" if it means nothing. */
  async idOf(name: string): Promise<string> {
    return (await this.text(["rev-parse", "--verify", "--quiet", name], { accept: [1, 128] })).trim();
  }

  /** Git's output as lines, without empty ones. */
  async lines(args: readonly string[], options: GitCallOptions = {}): Promise<readonly string[]> {
    return (await this.text(args, options)).split("\n").filter((line) => line !== "");
  }
}
