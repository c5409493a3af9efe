import type { CompletionInput, Completions } from "@suite/server-kit";

import { RepositoryCall } from "../domain/git/repository-call.ts";
import { listFiles } from "../domain/reading/files.ts";
import { readLog } from "../domain/reading/history.ts";
import { listNames } from "../domain/reading/refs.ts";
import type { GitContext } from "../state.ts";

export const completeRepository = (
  _: CompletionInput,
  context: GitContext,
): Completions | Promise<Completions> =>
  context.state.roots.withKnownGuard(context, [], (guard) =>
    context.state.repositories.list(guard).map(({ name }) => name),
  );

/** Runs in the named or only repository. Errors give no completions: the input is still being typed. */
async function inRepository(
  { arguments: known }: CompletionInput,
  context: GitContext,
  work: (call: RepositoryCall) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const { roots, repositories, git } = context.state;
  try {
    return await roots.withKnownGuard(context, [], (guard) => {
      const repository = repositories.open(guard, known["repo"] ?? known["repo_path"]);
      return work(new RepositoryCall(git, guard, repository, context.stop));
    });
  } catch {
    context.signal.throwIfAborted();
    return [];
  }
}

/** Branches and tags. */
export const completeRef = (input: CompletionInput, context: GitContext): Promise<Completions> =>
  inRepository(input, context, async (call) => ["HEAD", ...(await listNames(call))]);

/** Either side of `..` or `...`. */
export const completeRange = (input: CompletionInput, context: GitContext): Promise<Completions> =>
  inRepository(input, context, async (call) => {
    const [, before = ""] = /^(.*\.{2,3})/s.exec(input.value) ?? [];
    const names = await listNames(call);
    const special = before === "" ? ["staged", "unstaged"] : [];
    return [...special, "HEAD", ...names].map((name) => `${before}${name}`);
  });

const MOST_COMMITS = 100;

export const completeCommit = (input: CompletionInput, context: GitContext): Promise<Completions> =>
  inRepository(input, context, async (call) => {
    const commits = await readLog(call, { max_count: MOST_COMMITS, all: true });
    return commits.map(({ commit }) => commit);
  });

/** Files of the revision that was named. */
export const completePath = (input: CompletionInput, context: GitContext): Promise<Completions> =>
  inRepository(input, context, async (call) => {
    const revision = input.arguments["rev"] ?? "HEAD";
    return (await listFiles(call, { revision })).map(({ path }) => path);
  });
