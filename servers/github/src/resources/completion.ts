import type { CompletionInput, Completions } from "@suite/server-kit";

import { apiOf, repoOf } from "../api.ts";
import { hasNextPage } from "../domain/api.ts";
import { toUrlPath } from "../domain/contents.ts";
import { type Fields, listIn, readPath, toFields, toText } from "../domain/answers/projection.ts";
import type { GithubContext } from "../state.ts";
import { requireOwnHistory } from "../tools/origins.ts";

type Complete = (input: CompletionInput, context: GithubContext) => Promise<Completions>;

interface Names {
  readonly names: readonly string[];
  /** GitHub has more than the page that was read. */
  readonly isPart: boolean;
}

const PAGE = 100;

/** From one page of a list, cached while the user types. Empty if it cannot be read. */
async function namesOf(
  context: GithubContext,
  route: string,
  params: Fields,
  toName: (item: unknown) => string,
  itemsIn?: string,
): Promise<Names> {
  const { state, principal = "", signal } = context;
  const find = async (): Promise<Names> => {
    // Names and numbers are too short to carry instructions.
    const answer = await apiOf(context).get(route, { ...params, per_page: PAGE }, { strangers: false });
    return { names: listIn(answer.data, itemsIn).map(toName), isPart: hasNextPage(answer) };
  };
  try {
    return await state.candidates.keep(JSON.stringify([principal, route, params]), find);
  } catch {
    signal.throwIfAborted();
    return { names: [], isPart: false };
  }
}

function toCompletions({ names, isPart }: Names, value: string): Completions {
  if (!isPart) return names;
  const wanted = value.toLowerCase();
  return { values: names.filter((name) => name.toLowerCase().includes(wanted)), hasMore: true };
}

/** Whether the arguments or the options name the repository. */
const isPlaced = ({ owner }: CompletionInput["arguments"], { state }: GithubContext): boolean =>
  owner !== undefined || state.gateway.lists.single !== undefined;

const fromList =
  (path: string, field: string, params: Fields = {}, itemsIn?: string): Complete =>
  async ({ value, arguments: known }, context) => {
    if (!isPlaced(known, context)) return [];
    const all = { ...repoOf(known, context), ...params };
    const toName = (item: unknown): string => String(readPath(item, field));
    return toCompletions(
      await namesOf(context, `/repos/{owner}/{repo}/${path}`, all, toName, itemsIn),
      value,
    );
  };

const fullName = (item: unknown): string => toText(toFields(item)["full_name"]);
const ownRepos = (context: GithubContext): Promise<Names> =>
  namesOf(context, "/user/repos", { sort: "pushed" }, fullName);

export const completeOwner: Complete = async ({ value }, context) => {
  const { names, isPart } = await ownRepos(context);
  return toCompletions({ names: [...new Set(names.map((name) => name.split("/")[0] ?? ""))], isPart }, value);
};

export const completeRepo: Complete = async ({ value, arguments: { owner } }, context) => {
  const own = await ownRepos(context);
  const isOf = (name: string): boolean =>
    owner === undefined || name.toLowerCase().startsWith(`${owner.toLowerCase()}/`);
  const isKnown = owner === undefined || own.names.some(isOf);
  const { names, isPart } = isKnown
    ? own
    : await namesOf(context, "/users/{username}/repos", { username: owner }, fullName);
  return toCompletions({ names: names.filter(isOf).map((name) => name.split("/")[1] ?? ""), isPart }, value);
};

export const completeBranch: Complete = fromList("branches", "name");
export const completeTag: Complete = fromList("tags", "name");
export const completeLabel: Complete = fromList("labels", "name");
export const completeIssue: Complete = fromList("issues", "number", { state: "open" });
export const completePull: Complete = fromList("pulls", "number", { state: "all" });
export const completeWorkflow: Complete = fromList("actions/workflows", "path", {}, "workflows");
export const completeRun: Complete = fromList("actions/runs", "id", {}, "workflow_runs");
export const completeSha: Complete = fromList("commits", "sha");

/** Entries of the directory typed so far. */
export const completePath: Complete = async ({ value, arguments: known }, context) => {
  if (!isPlaced(known, context)) return [];
  const folder = value.slice(0, value.lastIndexOf("/") + 1);
  if (folder.split("/").some((part) => part === "." || part === "..")) return [];
  const repo = repoOf(known, context);
  const ref = known["sha"] ?? known["branch"] ?? known["tag"];
  try {
    await requireOwnHistory(apiOf(context), repo, ref);
  } catch {
    // Lockdown hides the names of files as well.
    return [];
  }
  const toName = (entry: unknown): string => {
    const { path, type } = toFields(entry);
    return `${toText(path)}${type === "dir" ? "/" : ""}`;
  };
  const route = `/repos/{owner}/{repo}/contents/${toUrlPath(folder)}`;
  return toCompletions(await namesOf(context, route, { ...repo, ref }, toName), value);
};
