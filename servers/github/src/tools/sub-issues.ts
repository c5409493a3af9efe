import { Fault } from "@suite/server-kit/domain";

import type { Api } from "../domain/api.ts";
import { isMissing } from "../domain/gateway/explain.ts";
import type { ApiRequest } from "../domain/gateway/gateway.ts";
import { nameOf, type Repo } from "../domain/gateway/repositories.ts";
import { type Fields, toFields, toText } from "../domain/answers/projection.ts";
import { type DoneBefore, proceed } from "../domain/steps.ts";

export const ISSUE_ROUTE = "/repos/{owner}/{repo}/issues/{issue_number}";
const SUB_ISSUES = `${ISSUE_ROUTE}/sub_issues`;
/** Who nests what under what is decided by people with triage rights, whoever opened the issues. */
const OWN = { strangers: false } as const;

/** Where an issue goes among others: `parent` 0 is none, `after` 0 is before all others. */
interface FamilyInput {
  readonly issue_number?: number | undefined;
  readonly parent?: number | undefined;
  readonly after?: number | undefined;
}

/** What is done about an issue's place after the issue itself. */
export interface FamilyPlan {
  readonly changed: readonly string[];
  /** The first request, if there is anything to do. */
  readonly toRequest: (issue: Fields) => ApiRequest | undefined;
  readonly send: (api: Api, issue: Fields, before: DoneBefore) => Promise<void>;
}

/** GitHub takes the ids of issues, which nobody sees: numbers are looked up before anything is changed. */
export async function planFamily(api: Api, repo: Repo, input: FamilyInput): Promise<FamilyPlan> {
  const { issue_number, parent: wanted, after } = input;
  if (wanted === undefined && after === undefined)
    return { changed: [], toRequest: () => undefined, send: () => Promise.resolve() };
  if (after !== undefined && (wanted === 0 || (wanted === undefined && issue_number === undefined)))
    throw new Fault("invalid_input", "after is a place among the sub-issues of a parent.");
  if (issue_number !== undefined && [wanted, after].includes(issue_number))
    throw new Fault("invalid_input", "An issue is neither its own sub-issue nor its own neighbour.");
  const now = issue_number === undefined ? undefined : await parentOf(api, repo, issue_number);
  const own = now?.isHere === true ? now.number : undefined;
  const parent = wanted === undefined || wanted === 0 ? own : wanted;
  if (parent === undefined) {
    const what = now === undefined ? "is nobody's sub-issue" : "is a sub-issue in another repository";
    throw new Fault("conflict", `${nameOf(repo)}#${issue_number ?? 0} ${what}. Nothing was changed.`);
  }
  const isMove = wanted !== 0 && own !== parent;
  const order = after === undefined ? undefined : await toOrder(api, repo, parent, after, issue_number);
  const params = { ...repo, issue_number: parent };
  const steps = [
    ...(wanted === 0 ? [toStep(`DELETE ${ISSUE_ROUTE}/sub_issue`, params)] : []),
    ...(isMove
      ? [toStep(`POST ${SUB_ISSUES}`, { ...params, ...(now !== undefined && { replace_parent: true }) })]
      : []),
    ...(order === undefined ? [] : [toStep(`PATCH ${SUB_ISSUES}/priority`, { ...params, ...order })]),
  ];
  const self = issue_number === undefined ? "it" : `${nameOf(repo)}#${issue_number}`;
  const place = `${nameOf(repo)}#${parent}`;
  const words =
    wanted === 0 ? `${self}, no longer a sub-issue of ${place}` : `${self}, a sub-issue of ${place}`;
  const [first] = steps;
  return {
    changed: [
      ...(wanted === 0 || isMove ? [words] : []),
      ...(order === undefined ? [] : [`${self}, ${after === 0 ? "first" : `after #${after}`} in ${place}`]),
    ],
    toRequest: (issue) => first?.(issue),
    send: async (on, issue, before) => {
      let done = before;
      for (const [at, step] of steps.entries()) {
        await proceed(done, "its place among the sub-issues could not be set", () => on.send(step(issue)));
        if (at === 0 && steps.length > 1)
          done = {
            ...before,
            words: [before.words, words].filter((each) => each !== "").join(", "),
            hint: "Give only after again.",
          };
      }
    },
  };
}

const toStep =
  (route: string, params: Fields) =>
  (issue: Fields): ApiRequest => ({ route, params: { ...params, sub_issue_id: issue["id"] } });

/** A parent may be in another repository, with a number that means something else here. */
async function parentOf(
  api: Api,
  repo: Repo,
  issue_number: number,
): Promise<{ readonly number: number; readonly isHere: boolean } | undefined> {
  try {
    const { data } = await api.get(`${ISSUE_ROUTE}/parent`, { ...repo, issue_number }, OWN);
    const { number, repository_url: url } = toFields(data);
    const isHere = toText(url)
      .toLowerCase()
      .endsWith(`/${nameOf(repo).toLowerCase()}`);
    return { number: Number(number), isHere };
  } catch (thrown) {
    if (isMissing(thrown)) return undefined;
    throw thrown;
  }
}

/** After the given sub-issue, or before the first one that is not the issue itself. */
async function toOrder(
  api: Api,
  repo: Repo,
  parent: number,
  after: number,
  self: number | undefined,
): Promise<Fields | undefined> {
  const { items } = await api.all(SUB_ISSUES, { ...repo, issue_number: parent }, OWN);
  const others = items.map(toFields).filter(({ number }) => number !== self);
  if (after === 0) return others[0] && { before_id: others[0]["id"] };
  const found = others.find(({ number }) => number === after);
  if (found !== undefined) return { after_id: found["id"] };
  throw new Fault("not_found", `#${after} is not among the sub-issues of ${nameOf(repo)}#${parent}.`, {
    hint: "issue_read with get_sub_issues lists them.",
  });
}
