import { Fault, suggest, toVisibleLine } from "@suite/server-kit/domain";

import type { Api } from "../domain/api.ts";
import { isPullRef, shaIn } from "../domain/contents.ts";
import { EMPTY, isMissing } from "../domain/gateway/explain.ts";
import { nameOf, type Repo } from "../domain/gateway/repositories.ts";
import { readPath, toList, toText } from "../domain/projection.ts";

const UNREAD = { isUnread: true } as const;

/** GitHub answers 404 for whatever is missing: finds out whether it is the repository, the branch or the path. */
export async function locating<T>(api: Api, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (thrown) {
    const path = missingPathIn(thrown);
    const [, owner, repo, rest = "", query] =
      /^\/repos\/([^/]+)\/([^/?]+)\/?([^?]*)(\?.*)?$/.exec(path) ?? [];
    if (owner === undefined || repo === undefined) throw thrown;
    // If GitHub does not tell, what it said first has to do.
    const found = await locate(api, { owner, repo }, decodeURIComponent(rest), query).catch(() => undefined);
    if (found === undefined) throw thrown;
    throw new Fault("not_found", found.message, {
      hint: found.hint,
      details: { status: 404 },
      cause: thrown,
    });
  }
}

/** Of the request that GitHub answered with 404. */
function missingPathIn(thrown: unknown): string {
  if (!(thrown instanceof Fault) || !isMissing(thrown) || EMPTY.test(thrown.message)) return "";
  return toText(thrown.details?.["path"]) || missingPathIn(thrown.cause);
}

interface Located {
  readonly message: string;
  readonly hint: string;
}

async function locate(api: Api, repo: Repo, rest: string, query?: string): Promise<Located | undefined> {
  const exists = (route: string, params: object): Promise<boolean> =>
    api.get(route, { ...repo, ...params }, UNREAD).then(
      () => true,
      (thrown: unknown) => {
        if (isMissing(thrown) || (thrown instanceof Fault && thrown.details?.["status"] === 422))
          return false;
        throw thrown;
      },
    );
  const names = async (route: string, params: object): Promise<readonly string[]> => {
    const { data } = await api.get(route, { ...params, per_page: 100 }, UNREAD);
    return toList(data).map((each) => toText(readPath(each, "name")));
  };
  if (!(await exists("/repos/{owner}/{repo}", {}))) {
    const known = await names("/users/{username}/repos", { username: repo.owner }).catch(() => []);
    const near = suggest(repo.repo, known);
    return {
      message: `There is no repository ${nameOf(repo)} that this server can see.`,
      hint:
        near === undefined
          ? api.gateway.credentials.isAnonymous
            ? "This server has no token, so it only sees public data."
            : "Check owner and repo. GitHub also answers 404 for what the token cannot see."
          : `Did you mean ${repo.owner}/${near}?`,
    };
  }
  for (const ref of refsIn(rest, query)) {
    if (await exists("/repos/{owner}/{repo}/commits/{ref}", { ref })) continue;
    const near = suggest(ref, await names("/repos/{owner}/{repo}/branches", repo));
    return {
      message: `There is no branch, tag or commit ${ref} in ${nameOf(repo)}.`,
      hint: near === undefined ? "list_branches and list_tags have their names." : `Did you mean ${near}?`,
    };
  }
  const [, path] = /^contents\/(.+)$/.exec(rest) ?? [];
  const ref = new URLSearchParams(query).get("ref") ?? "HEAD";
  // Paths of pull requests and of unknown commits are strangers' words.
  if (path === undefined || isPullRef(ref) || shaIn(ref) !== undefined) return undefined;
  const route = "/repos/{owner}/{repo}/git/trees/{tree_sha}";
  const { data } = await api.get(route, { ...repo, tree_sha: ref, recursive: "1" }, UNREAD);
  const paths = toList(readPath(data, "tree")).map((entry) => toText(readPath(entry, "path")));
  const near = suggest(path, paths);
  return {
    message: `There is no ${path} ${ref === "HEAD" ? "" : `on ${ref} `}in ${nameOf(repo)}.`,
    hint:
      near === undefined
        ? "get_file_contents with the path of a directory lists what there is."
        : `Did you mean ${toVisibleLine(near)}?`,
  };
}

/** The names of branches, tags and commits that a request has. */
function refsIn(rest: string, query: string | undefined): readonly string[] {
  const params = new URLSearchParams(query);
  const [, compared] = /^compare\/(.+)$/.exec(rest) ?? [];
  const [, named] =
    /^(?:commits|git\/trees|git\/ref\/heads|branches)\/([^?]+?)(?:\/(?:status|check-runs))?$/.exec(rest) ??
    [];
  return [params.get("ref"), params.get("sha"), named, ...(compared?.split("...") ?? [])].filter(
    (ref): ref is string => typeof ref === "string" && ref !== "" && ref !== "HEAD" && !isPullRef(ref),
  );
}
