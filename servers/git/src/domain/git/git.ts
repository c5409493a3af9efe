import { type Children, type ChildResult, Fault, type StopSignal, suggest } from "@suite/server-kit/domain";

import { toName } from "../repository/config-file.ts";
import type { Repository } from "../repository/repository.ts";
import {
  type GitSetup,
  memoryFor,
  NOWHERE,
  type OperatorSettings,
  type RunNeeds,
  toArguments,
  toEnvironment,
  toSettings,
} from "./command.ts";
import { findAmbiguity, findUnknownRevision, toGitFault } from "./failures.ts";
import { withLastArgument } from "./last-argument.ts";
import { NO_SETTINGS, parseOperatorSettings, withoutOwn } from "./operator-settings.ts";
import { redactUrls } from "./redact-url.ts";
import { type OnProgress, transfer } from "./transfer.ts";

export interface RunOptions extends RunNeeds {
  readonly signal: StopSignal;
  readonly input?: string | Uint8Array;
  /** Receives output in chunks; "stop" ends git without a failure. */
  readonly onOutput?: (chunk: Buffer) => "stop" | undefined;
  /** For a transfer: told how far it is. */
  readonly onProgress?: OnProgress;
  readonly onStart?: (pid: number) => void;
  readonly onEnd?: (pid: number) => void;
  /** Called if git was killed: its lock files remain. */
  readonly onKill?: () => void;
  /** A last argument that may not be UTF-8. */
  readonly lastArgument?: Buffer;
  /** Exit codes besides 0 that are not failures. */
  readonly accept?: readonly number[];
}

const MOST_SUGGESTED = 5000;
const WARM_MS = 10_000;
/** Enough for the names of a million files. */
const MOST_BYTES = 64 * 1024 * 1024;

const isFine = ({ stopped, code }: ChildResult, { accept = [] }: RunOptions): boolean =>
  stopped || code === 0 || accept.includes(code ?? -1);

/** The only way to run git: its arguments, settings and environment are all set here. */
export class Git {
  readonly #setup: GitSetup;
  readonly #children: Children;
  #operator: Promise<OperatorSettings> | undefined;
  #version: Promise<readonly [number, number]> | undefined;

  constructor(setup: GitSetup, children: Children) {
    this.#setup = setup;
    this.#children = children;
  }

  /** Loads the operator's settings early, so that the first command need not wait for them. */
  warm(): void {
    this.#operatorSettings(AbortSignal.timeout(WARM_MS)).catch(() => undefined);
  }

  /** Whether the operator lets repositories run programs. */
  get isTrusting(): boolean {
    return this.#setup.trusted;
  }

  get pid(): number {
    return this.#setup.pid;
  }

  get isSigning(): boolean {
    return this.#setup.signs;
  }

  /** Runs until git exits or `onOutput` stops it. Turns git's errors into faults. */
  async run(repository: Repository, args: readonly string[], options: RunOptions): Promise<ChildResult> {
    const result = await this.#spawn(repository, args, options);
    if (isFine(result, options)) {
      const ambiguity = options.writes ? undefined : findAmbiguity(result.stderr);
      if (ambiguity) throw ambiguity;
      return result;
    }
    const unknown = findUnknownRevision(result.stderr);
    if (unknown !== undefined) throw await this.#explainUnknown(repository, unknown, options.signal);
    throw toGitFault(result, args);
  }

  /** Runs outside of any repository, so that none's configuration is read: to create one. All paths must be absolute. */
  async runAlone(args: readonly string[], options: RunOptions): Promise<void> {
    const result = await this.#spawn(undefined, args, options);
    if (!isFine(result, options)) throw toGitFault(result, args);
  }

  /** Major and minor. */
  version(signal: StopSignal): Promise<readonly [number, number]> {
    this.#version ??= this.#askVersion(signal).catch((thrown: unknown) => {
      this.#version = undefined;
      throw thrown;
    });
    return this.#version;
  }

  async isAtLeast(major: number, minor: number, signal: StopSignal): Promise<boolean> {
    const [has, hasMinor] = await this.version(signal);
    return has > major || (has === major && hasMinor >= minor);
  }

  async #askVersion(signal: StopSignal): Promise<readonly [number, number]> {
    const env = toEnvironment(undefined, this.#setup);
    const { stdout } = await this.#children.spawn("git", ["--version"], { signal, cwd: "/", env });
    const [, major, minor] = /(\d+)\.(\d+)/.exec(stdout.toString()) ?? [];
    return [Number(major ?? 0), Number(minor ?? 0)];
  }

  async #spawn(
    repository: Repository | undefined,
    args: readonly string[],
    options: RunOptions,
  ): Promise<ChildResult> {
    const settings = await this.#settingsFor(repository, options, options.signal);
    const env = toEnvironment(repository, this.#setup, options);
    const cwd = repository?.root ?? "/";
    // A write is ended gently, so that git removes its locks.
    const limits = { maxOutputBytes: MOST_BYTES, endsGently: options.writes === true };
    const given = { ...limits, ...memoryFor(this.#setup, options), ...options, cwd, env };
    return withLastArgument(toArguments(settings), args, options.lastArgument, (all) =>
      options.onProgress ? transfer(this.#children, all, given) : this.#children.spawn("git", all, given),
    );
  }

  async #settingsFor(
    repository: Repository | undefined,
    needs: RunNeeds,
    signal: StopSignal,
  ): Promise<readonly string[]> {
    const operator = withoutOwn(await this.#operatorSettings(signal), repository?.settings ?? []);
    return toSettings(repository, this.#setup, operator, needs);
  }

  /** Read once. In trusted mode git reads the operator's configuration itself. */
  #operatorSettings(signal: StopSignal): Promise<OperatorSettings> {
    if (this.#setup.trusted) return Promise.resolve(NO_SETTINGS);
    this.#operator ??= this.#askOperator(signal).catch((thrown: unknown) => {
      this.#operator = undefined;
      throw thrown;
    });
    return this.#operator;
  }

  /** Names of filters that are configured, here or for all repositories. They do not run unless that is trusted. */
  async listFilters({ settings }: Repository, signal: StopSignal): Promise<ReadonlySet<string>> {
    const { stdout } = await this.#askConfig(["--name-only", "--get-regexp", "^filter\\."], signal);
    const names = [...settings.map(toName), ...stdout.toString().split("\0")];
    return new Set(
      names.flatMap((name) => /^filter\.(.+)\.(?:clean|process|required)$/s.exec(name)?.[1] ?? []),
    );
  }

  async #askOperator(signal: StopSignal): Promise<OperatorSettings> {
    const { stdout } = await this.#askConfig(["--list"], signal);
    return parseOperatorSettings(stdout.toString(), this.#setup.env);
  }

  /** Asks for the configuration outside of any repository. */
  #askConfig(args: readonly string[], signal: StopSignal): Promise<ChildResult> {
    const personal = toEnvironment(undefined, { ...this.#setup, trusted: true });
    const env = { ...personal, GIT_DIR: NOWHERE };
    return this.#children.spawn("git", ["config", "--includes", "-z", ...args], { signal, cwd: "/", env });
  }

  async #explainUnknown(repository: Repository, name: string, signal: StopSignal): Promise<Fault> {
    const args = ["for-each-ref", `--count=${MOST_SUGGESTED}`, "--format=%(HEAD)%(refname:short)"];
    const refs = await this.#spawn(repository, [...args, "refs/heads", "refs/tags", "refs/remotes"], {
      signal,
    });
    // The current branch has a star before its name, all others have a space.
    const known = refs.stdout.toString().split("\n");
    const current = known.find((ref) => ref.startsWith("*"))?.slice(1);
    const unknown = await this.#findUnknownSide(repository, name, signal);
    const meant = suggest(
      unknown,
      known.map((ref) => ref.slice(1)),
    );
    const there = "git_branch and git_log show what there is.";
    const message = `There is no revision ${JSON.stringify(redactUrls(unknown))} in this repository`;
    return new Fault("not_found", message, {
      hint: meant
        ? `Did you mean ${JSON.stringify(meant)}?`
        : `${current ? `The current branch is ${JSON.stringify(current)}. ` : ""}${there}`,
    });
  }

  /** For a range, git's error does not say which side is unknown. */
  async #findUnknownSide(repository: Repository, name: string, signal: StopSignal): Promise<string> {
    const [, from, to = ""] = /^(.+?)\.{2,3}(.+)$/s.exec(name) ?? [];
    if (from === undefined) return name;
    const args = ["rev-parse", "--verify", "--quiet", `${from}^{object}`];
    return (await this.#spawn(repository, args, { signal })).code === 0 ? to : from;
  }
}
