import { statSync } from "node:fs";

import { Interruption, type Context, type MaybePromise, type Root } from "@suite/core";

import { Fault } from "../../domain/errors/fault.ts";
import { isWithin } from "../../domain/paths/roots.ts";
import { fromFileUri, isFileUri } from "../../domain/paths/file-uri.ts";
import { PathGuard } from "../../domain/paths/guard.ts";
import { quoteGiven, quotePath } from "../../domain/paths/path-text.ts";
import { type DirectoryBounds, requireOwnDirectories } from "./roots-option.ts";

/** The directories are absolute. */
export interface ClientRootsOptions extends DirectoryBounds {
  /** Creates a guard for these directories with the operator's rules. */
  readonly createGuard: (roots: readonly string[]) => PathGuard;
  /** Called with every new guard. */
  readonly opened?: (guard: PathGuard) => void;
  /** How to configure directories for this server: the hint of the fault if there are none. */
  readonly hint: string;
  /** Reports a client's unusable roots to the operator. Called once for each set of roots. */
  readonly warn?: (message: string) => void;
}

const MOST_GUARDS = 32;
/** Every call looks at each of them. */
const MOST_ROOTS = 100;
const MOST_NAMED = 5;

/** Determines which directories a request may access: the operator's, the client's, or their intersection. */
export class ClientRoots {
  readonly #options: ClientRootsOptions;
  readonly #configured: PathGuard | undefined;
  readonly #guards = new Map<string, PathGuard>();
  readonly #notes = new WeakMap<PathGuard, string>();
  #latest: PathGuard | undefined;

  constructor(options: ClientRootsOptions) {
    requireOwnDirectories(options);
    this.#options = options;
    const { directories, createGuard, opened } = options;
    this.#configured = directories.length > 0 ? createGuard(directories) : undefined;
    this.#latest = this.#configured;
    if (this.#configured) opened?.(this.#configured);
  }

  /** Synchronous if the client need not be asked. */
  guardFor(context: Context): MaybePromise<PathGuard> {
    const configured = this.#configured;
    if (this.#mustAsk(context)) return this.#ask(context);
    if (configured) return configured;
    throw this.#refuseUnconfigured("This client does not declare the roots capability.");
  }

  /** Runs work with the caller's guard; synchronously if the client need not be asked, which makes small reads fast. */
  withGuard<T>(context: Context, work: (guard: PathGuard) => MaybePromise<T>): MaybePromise<T> {
    const guard = this.guardFor(context);
    return guard instanceof Promise ? guard.then(work) : work(guard);
  }

  /**
   * For lists and completions, which cannot ask the client in the modern era: only calls, reads and prompts can
   * (mrtr#supported-requests). Returns `nothing` if the client would have to be asked.
   */
  withKnownGuard<T, Nothing>(
    context: Context,
    nothing: Nothing,
    work: (guard: PathGuard) => MaybePromise<T>,
  ): MaybePromise<T | Nothing> {
    return this.#isUnknown(context) ? nothing : this.withGuard(context, work);
  }

  /** For subscriptions: refused if the directories depend on a client that cannot be asked. */
  withWatchedGuard<T>(context: Context, work: (guard: PathGuard) => MaybePromise<T>): MaybePromise<T> {
    if (!this.#isUnknown(context)) return this.withGuard(context, work);
    throw this.#refuseUnconfigured("The client cannot be asked for its roots during a subscription.");
  }

  /** Problems with the client's roots, to be shown where the directories are listed. */
  noteFor(guard: PathGuard): string | undefined {
    return this.#notes.get(guard);
  }

  /** For work that outlives a request, such as a watcher: the operator's directories, or the client's that replace them. */
  get latest(): PathGuard | undefined {
    return this.#latest;
  }

  #isUnknown({ client: { era, capabilities } }: Context): boolean {
    return !this.#configured && era === "modern" && capabilities.roots !== undefined;
  }

  /** In the modern era asking costs a round trip for every call, so it is done only if no directories are configured. */
  #mustAsk({ client }: Context): boolean {
    if (!client.capabilities.roots) return false;
    if (!this.#configured) return true;
    return this.#options.policy !== "ignore" && client.era === "legacy";
  }

  async #ask(context: Context): Promise<PathGuard> {
    const roots = await askForRoots(context);
    if (roots.length > MOST_ROOTS) {
      throw new Fault("too_large", `The client has ${roots.length} roots, more than ${MOST_ROOTS}.`, {
        hint: "Open fewer folders in the client, or start the server with the directories it may use and --roots ignore.",
      });
    }
    const key = JSON.stringify(roots.map(({ uri }) => uri));
    const guard = this.#guards.get(key) ?? this.#create(roots, key);
    if (!this.#configured || this.#options.policy === "replace") this.#latest = guard;
    return guard;
  }

  #create(roots: readonly Root[], key: string): PathGuard {
    const { directories, unusable } = sortRoots(roots);
    const problems = unusable.length > 0 ? [`${describeUnusable(unusable)}.`] : [];
    const { allowed, isElsewhere } = this.#limit(directories, problems);
    if (isElsewhere) {
      const found = directories.slice(0, MOST_NAMED).map(quotePath).join(", ");
      problems.push(
        `None of the client's roots (${found}) lies inside the directories of this server, so all of these are allowed.`,
      );
    }
    const guard = this.#options.createGuard(allowed);
    if (this.#guards.size >= MOST_GUARDS) this.#guards.clear();
    this.#guards.set(key, guard);
    this.#options.opened?.(guard);
    if (problems.length > 0) {
      this.#notes.set(guard, problems.join(" "));
      this.#options.warn?.(problems.join(" "));
    }
    return guard;
  }

  /**
   * The directories that both sides allow: if one contains the other, the inner one. If the client's roots are all elsewhere,
   * or it has none, the operator's directories apply unchanged.
   */
  #limit(
    given: readonly string[],
    problems: readonly string[],
  ): { readonly allowed: readonly string[]; readonly isElsewhere: boolean } {
    const configured = this.#configured?.roots;
    if (given.length === 0) {
      if (configured) return { allowed: configured, isElsewhere: false };
      const why = ["The client has no roots that are directories here.", ...problems].join(" ");
      throw this.#refuseUnconfigured(why);
    }
    if (!configured || this.#options.policy === "replace") return { allowed: given, isElsewhere: false };
    const asked = new PathGuard({ roots: given }).roots;
    const both = [
      ...asked.filter((path) => configured.some((upper) => isWithin(path, upper))),
      ...configured.filter((path) => asked.some((upper) => upper !== path && isWithin(path, upper))),
    ];
    return both.length > 0
      ? { allowed: both, isElsewhere: false }
      : { allowed: configured, isElsewhere: true };
  }

  #refuseUnconfigured(why: string): Fault {
    return new Fault("unavailable", `No directory is configured. ${why}`, {
      retryable: false,
      hint: this.#options.hint,
    });
  }
}

/** Fails if the client does not answer: a missing answer must not widen access. */
async function askForRoots(context: Context): Promise<readonly Root[]> {
  try {
    return await context.roots({ key: "dev.suite/roots" });
  } catch (thrown) {
    if (thrown instanceof Interruption || context.signal.aborted) throw thrown;
    throw new Fault("unavailable", "The client did not answer the request for its roots.", {
      hint: "Try again, or start the server with the directories it may use and --roots ignore.",
      cause: thrown,
    });
  }
}

interface SortedRoots {
  readonly directories: readonly string[];
  readonly unusable: readonly { readonly uri: string; readonly why: string }[];
}

function sortRoots(roots: readonly Root[]): SortedRoots {
  const directories: string[] = [];
  const unusable: { uri: string; why: string }[] = [];
  for (const { uri } of roots) {
    const why = isFileUri(uri) ? findProblem(uri) : "it is not a file: URI";
    if (why === undefined) directories.push(fromFileUri(uri));
    else unusable.push({ uri, why });
  }
  return { directories, unusable };
}

/** A missing directory is not a problem: it may be created later. */
function findProblem(uri: string): string | undefined {
  try {
    // Before the disk is touched: asking a server for a directory tells it who asks.
    if (fromFileUri(uri).startsWith("\\\\")) return "it names another machine";
    const [path] = new PathGuard({ roots: [fromFileUri(uri)] }).roots;
    if (path === undefined) return "it names no directory";
    const found = statSync(path, { throwIfNoEntry: false });
    return found && !found.isDirectory() ? "it is not a directory" : undefined;
  } catch (thrown) {
    return thrown instanceof Fault ? thrown.message : "it cannot be read";
  }
}

function describeUnusable(unusable: SortedRoots["unusable"]): string {
  const named = unusable.slice(0, MOST_NAMED).map(({ uri, why }) => `${quoteGiven(uri)} (${why})`);
  const more = unusable.length > MOST_NAMED ? ` and ${unusable.length - MOST_NAMED} more` : "";
  return `Roots of the client that cannot be used: ${named.join(", ")}${more}`;
}
