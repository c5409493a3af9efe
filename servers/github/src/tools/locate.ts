import { Fault, suggest, toVisibleLine } from "@suite/server-kit/domain";

import type { Api } from "../domain/api.ts";
import { isPullRef, shaIn } from "../domain/contents.ts";
import { EMPTY, isMissing } from "../domain/gateway/explain.ts";
import { nameOf } from "../domain/gateway/repositories.ts";
import { type Fields, readPath, toList, toText } from "../domain/answers/projection.ts";

/** A name that is near to what was asked for tells next to nothing new, so these reads need not be recorded. */
const UNREAD = { isUnread: true } as const;
const MOST_MS = 3000;

/** Requests that fail with 404 for want of the repository, or of the branch or path that they name. */
const NAMING =
  /^([A-Z]+) \/repos\/([^/]+)\/([^/?]+)(?:\/([a-z]+|(?:contents|commits|compare|branches|git\/(?:trees|ref\/heads|matching-refs))\/[^?]+))?(\?.*)?$/;

/** GitHub answers 404 for whatever is missing: finds out whether it is the repository, the branch or the path. */
export async function locating<T>(api: Api, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (thrown) {
    const missing = NAMING.exec(missingIn(thrown));
    // If GitHub does not tell, or not soon, what it said first has to do.
    const found = missing && (await locate(api, inHaste(api), missing).catch(() => undefined));
    if (!found) throw thrown;
    throw new Fault("not_found", found.message, {
      hint: found.hint,
      details: { status: 404 },
      cause: thrown,
    });
  }
}

/** The request that GitHub answered with 404. */
function missingIn(thrown: unknown): string {
  if (!(thrown instanceof Fault) || !isMissing(thrown) || EMPTY.test(thrown.message)) return "";
  return toText(thrown.details?.["request"]) || missingIn(thrown.cause);
}

type Get = (route: string, params: Fields) => Promise<unknown>;

/** Leaves the call enough time to say what failed first. */
function inHaste({ gateway, call }: Api): Get {
  const ms = Math.min(MOST_MS, call.timeLeft() / 2);
  const until = Date.now() + ms;
  const signal = AbortSignal.any([call.signal, AbortSignal.timeout(Math.max(0, ms))]);
  const hasty = { ...call, signal, timeLeft: () => until - Date.now() };
  return async (route, params) =>
    (await gateway.request({ ...UNREAD, route: `GET ${route}`, params }, hasty)).data;
}

interface Located {
  readonly message: string;
  readonly hint: string;
}

async function locate(api: Api, get: Get, missing: RegExpExecArray): Promise<Located | undefined> {
  const [, method, owner = "", name = "", encoded = "", query] = missing;
  const repo = { owner, repo: name };
  const rest = decodeURIComponent(encoded);
  const exists = (route: string, params: object): Promise<boolean> =>
    get(route, { ...repo, ...params }).then(
      () => true,
      (thrown: unknown) => {
        if (isMissing(thrown) || (thrown instanceof Fault && thrown.details?.["status"] === 422))
          return false;
        throw thrown;
      },
    );
  const names = async (route: string, params: object): Promise<readonly string[]> =>
    toList(await get(route, { ...params, per_page: 100 })).map((each) => toText(readPath(each, "name")));
  if (!(await exists("/repos/{owner}/{repo}", {}))) {
    const known = await names("/users/{username}/repos", { username: owner }).catch(() => []);
    const near = suggest(name, known);
    return {
      message: `There is no repository ${nameOf(repo)} that this server can see.`,
      hint:
        near === undefined
          ? api.gateway.credentials.isAnonymous
            ? "This server has no token, so it only sees public data."
            : "Check owner and repo. GitHub also answers 404 for what the token cannot see."
          : `Did you mean ${owner}/${near}?`,
    };
  }
  // The others create what they name, or lack a permission.
  if (method !== "GET") return undefined;
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
  const data = await get(route, { ...repo, tree_sha: ref, recursive: "1" });
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
