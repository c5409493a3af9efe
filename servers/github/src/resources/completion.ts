import type { CompletionInput, Completions, Context } from "@suite/server-kit";

import { apiOf, repoOf } from "../api.ts";
import { toUrlPath } from "../domain/contents.ts";
import { type Fields, readPath, toFields, toList, toText } from "../domain/projection.ts";
import type { GithubState } from "../state.ts";

type Complete = (input: CompletionInput, context: Context<GithubState>) => Promise<Completions>;

const PAGE = 100;

/** Names from one page of a list. GitHub may have more than a page: then nobody claims to know them all. */
const fromList =
  (path: string, field: string, params: Fields = {}, itemsIn?: string): Complete =>
  ({ value, arguments: known }, context) =>
    quietly(context, async () => {
      const api = apiOf(context);
      const all = { ...repoOf(known, context), ...params, per_page: PAGE };
      const { data, headers } = await api.get(`/repos/{owner}/{repo}/${path}`, all);
      const items = toList(itemsIn === undefined ? data : toFields(data)[itemsIn]);
      const names = items.map((item) => String(readPath(item, field)));
      return toCompletions(names, value, String(headers["link"] ?? "").includes('rel="next"'));
    });

function toCompletions(names: readonly string[], value: string, isPart: boolean): Completions {
  if (!isPart) return names;
  const wanted = value.toLowerCase();
  return { values: names.filter((name) => name.toLowerCase().includes(wanted)), hasMore: true };
}

/** While somebody types, what cannot be read has nothing to propose. */
async function quietly(
  { signal }: Context<GithubState>,
  find: () => Promise<Completions>,
): Promise<Completions> {
  try {
    return await find();
  } catch {
    signal.throwIfAborted();
    return [];
  }
}

const ownRepos = async (
  context: Context<GithubState>,
): Promise<{ names: readonly string[]; isPart: boolean }> => {
  const { data, headers } = await apiOf(context).get("/user/repos", { per_page: PAGE, sort: "pushed" });
  return {
    names: toList(data).map((item) => toText(toFields(item)["full_name"])),
    isPart: String(headers["link"] ?? "").includes('rel="next"'),
  };
};

export const completeOwner: Complete = ({ value }, context) =>
  quietly(context, async () => {
    const { names, isPart } = await ownRepos(context);
    return toCompletions([...new Set(names.map((name) => name.split("/")[0] ?? ""))], value, isPart);
  });

export const completeRepo: Complete = ({ value, arguments: { owner } }, context) =>
  quietly(context, async () => {
    const own = await ownRepos(context);
    const of = (name: string): boolean =>
      owner === undefined || name.toLowerCase().startsWith(`${owner.toLowerCase()}/`);
    const names = own.names.filter(of).map((name) => name.split("/")[1] ?? "");
    if (names.length > 0 || owner === undefined) return toCompletions(names, value, own.isPart);
    const { data, headers } = await apiOf(context).get("/users/{username}/repos", {
      username: owner,
      per_page: PAGE,
    });
    const theirs = toList(data).map((item) => toText(toFields(item)["name"]));
    return toCompletions(theirs, value, String(headers["link"] ?? "").includes('rel="next"'));
  });

export const completeBranch: Complete = fromList("branches", "name");
export const completeTag: Complete = fromList("tags", "name");
export const completeLabel: Complete = fromList("labels", "name");
export const completeIssue: Complete = fromList("issues", "number", { state: "open" });
export const completePull: Complete = fromList("pulls", "number", { state: "all" });
export const completeWorkflow: Complete = fromList("actions/workflows", "path", {}, "workflows");
export const completeRun: Complete = fromList("actions/runs", "id", {}, "workflow_runs");
export const completeSha: Complete = fromList("commits", "sha");

/** The entries of the directory that is typed so far. */
export const completePath: Complete = ({ value, arguments: known }, context) =>
  quietly(context, async () => {
    const folder = value.includes("/") ? value.slice(0, value.lastIndexOf("/") + 1) : "";
    const ref = known["sha"] ?? known["branch"] ?? known["tag"];
    const params = { ...repoOf(known, context), ref };
    const { data } = await apiOf(context).get(`/repos/{owner}/{repo}/contents/${toUrlPath(folder)}`, params);
    return toList(data).map((entry) => {
      const { path, type } = toFields(entry);
      return `${toText(path)}${type === "dir" ? "/" : ""}`;
    });
  });
