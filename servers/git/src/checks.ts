import { platform } from "node:os";

import type { Finding } from "@suite/server-kit";
import { Children, findProgram, PathGuard } from "@suite/server-kit/domain";
import { requireDirectory } from "@suite/server-kit/program";

import { Git } from "./domain/git/git.ts";
import { openRepository } from "./domain/repository/repository.ts";
import type { GitOptions } from "./options.ts";

const OLDEST = [2, 30] as const;

/** Whether git is there, and new enough. */
export async function checkGit(env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<Finding> {
  const needed = `git ${OLDEST.join(".")} or later`;
  const children = new Children();
  const git = new Git({ env, trusted: false, signs: false, pid: 0 }, children);
  try {
    const version = `git ${(await git.version(signal)).join(".")} (${findProgram("git", env)})`;
    const isUnlimited = platform() === "linux" && findProgram("prlimit", env) === undefined;
    const found = `${version}${isUnlimited ? ", whose memory is not limited: there is no prlimit (util-linux)" : ""}`;
    const isEnough = await git.isAtLeast(...OLDEST, signal);
    return isEnough
      ? { status: "ok", needed, found }
      : { status: "missing", needed, found, hint: "Install a newer git: https://git-scm.com/downloads" };
  } catch (thrown) {
    signal.throwIfAborted();
    const found = thrown instanceof Error ? thrown.message : String(thrown);
    return { status: "missing", needed, found, hint: "Install git: https://git-scm.com/downloads" };
  } finally {
    await children.dispose();
  }
}

/** Whether each repository can be used, and why not. */
export function checkRepositories(given: GitOptions): Finding {
  const needed = "repositories that can be opened";
  const named = [...given.repositories, ...given.repository];
  const roots = [...named, ...given.allowDir].map((directory) => requireDirectory(directory));
  if (roots.length === 0) {
    const hint =
      "Clients that have roots will be asked for them; for others, name a repository on the command line.";
    return { status: "warning", needed, found: "none given", hint };
  }
  const guard = new PathGuard({ roots });
  const problems = named.flatMap((directory) => {
    try {
      openRepository(guard, requireDirectory(directory), { trusted: given.trustRepository });
      return [];
    } catch (thrown) {
      return [thrown instanceof Error ? thrown.message : String(thrown)];
    }
  });
  const found = roots.join(", ");
  return problems.length === 0
    ? { status: "ok", needed, found }
    : { status: "missing", needed, found, hint: problems.join("; ") };
}
