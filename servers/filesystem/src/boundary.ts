import { sep } from "node:path";
import { fileURLToPath } from "node:url";

import { Interruption, type Context, type MaybePromise, type Root } from "@suite/core";
import { Fault, PathGuard } from "@suite/server-kit/domain";

/** How the client's roots and the operator's directories go together. */
export type RootsPolicy = "narrow" | "replace" | "ignore";

export interface BoundaryOptions {
  /** The operator's, absolute: the upper bound unless the policy is "replace". */
  readonly directories: readonly string[];
  readonly roots: RootsPolicy;
  /** A guard over these directories, with the operator's policies in it. */
  readonly createGuard: (roots: readonly string[]) => PathGuard;
  /** Learns of every boundary that comes into use. */
  readonly opened?: (guard: PathGuard) => void;
}

const MOST_GUARDS = 32;

/** Which directories a request may touch: it depends on who is asking. */
export class Boundary {
  readonly #options: BoundaryOptions;
  readonly #configured: PathGuard | undefined;
  readonly #guards = new Map<string, PathGuard>();
  #latest: PathGuard | undefined;

  constructor(options: BoundaryOptions) {
    this.#options = options;
    const { directories, createGuard, opened } = options;
    this.#configured = directories.length > 0 ? createGuard(directories) : undefined;
    this.#latest = this.#configured;
    if (this.#configured) opened?.(this.#configured);
  }

  /** At once where the client need not be asked. */
  guardFor(context: Context): MaybePromise<PathGuard> {
    const configured = this.#configured;
    if (!this.#mustAsk(context)) {
      if (configured) return configured;
      throw unconfigured("This client has not declared that it has roots.");
    }
    return this.#ask(context);
  }

  /** In the modern era only calls, reads and prompts can ask (mrtr#supported-requests): for the rest nothing is known. */
  isUnknownToLists({ client }: Context): boolean {
    return !this.#configured && client.era === "modern" && client.capabilities.roots !== undefined;
  }

  /** For what outlives a request, such as a watcher: the operator's directories, or a client's in their place. */
  get latest(): PathGuard | undefined {
    return this.#latest;
  }

  /** In the modern era a question costs a round trip of every call, so it is asked only where nothing else is known. */
  #mustAsk({ client }: Context): boolean {
    if (!client.capabilities.roots) return false;
    if (!this.#configured) return true;
    return this.#options.roots !== "ignore" && client.era === "legacy";
  }

  async #ask(context: Context): Promise<PathGuard> {
    const given = toDirectories(await askForRoots(context));
    const configured = this.#configured;
    if (given.length === 0) {
      // A client without an open folder says nothing about which one it means.
      if (configured) return configured;
      throw unconfigured("The client has no roots that are directories here.");
    }
    const guard = this.#guardOver(given);
    if (!configured || this.#options.roots === "replace") this.#latest = guard;
    return guard;
  }

  #guardOver(given: readonly string[]): PathGuard {
    const key = JSON.stringify(given);
    const known = this.#guards.get(key);
    if (known) return known;
    const guard = this.#options.createGuard(this.#limit(given));
    if (this.#guards.size >= MOST_GUARDS) this.#guards.clear();
    this.#guards.set(key, guard);
    this.#options.opened?.(guard);
    return guard;
  }

  /** What both sides allow: the smaller of two directories where one holds the other. */
  #limit(given: readonly string[]): readonly string[] {
    const configured = this.#configured;
    if (!configured || this.#options.roots === "replace") return given;
    const asked = this.#options.createGuard(given).roots;
    const allowed = configured.roots;
    const both = [
      ...asked.filter((path) => allowed.some((upper) => holds(upper, path))),
      ...allowed.filter((path) => asked.some((upper) => upper !== path && holds(upper, path))),
    ];
    if (both.length > 0) return both;
    throw new Fault(
      "permission_denied",
      "None of the client's roots lies in a directory this server may use.",
      {
        hint: `Open a folder inside ${allowed.join(" or ")}, or start the server with --roots ignore.`,
      },
    );
  }
}

/** What a client fails to say is no permission. */
async function askForRoots(context: Context): Promise<readonly Root[]> {
  try {
    return await context.roots({ key: "dev.suite/roots" });
  } catch (thrown) {
    if (thrown instanceof Interruption || context.signal.aborted) throw thrown;
    throw new Fault("unavailable", "The client was asked for its roots, and did not name them.", {
      hint: "Try again, or start the server with the directories it may use and --roots ignore.",
      cause: thrown,
    });
  }
}

/** Lexical, and for real paths only. */
const holds = (upper: string, path: string): boolean =>
  path === upper || path.startsWith(upper.endsWith(sep) ? upper : `${upper}${sep}`);

function toDirectories(roots: readonly Root[]): readonly string[] {
  return roots.flatMap(({ uri }) => {
    try {
      return uri.startsWith("file:") ? [fileURLToPath(uri)] : [];
    } catch {
      return [];
    }
  });
}

const unconfigured = (why: string): Fault =>
  new Fault("unavailable", `No directory is configured. ${why}`, {
    retryable: false,
    hint: "Start the server with the directories it may use, as in: suite-server-filesystem /home/me/project",
  });
