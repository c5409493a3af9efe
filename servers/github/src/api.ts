import { consentIn, timeLeftIn } from "@suite/server-kit";
import { Fault } from "@suite/server-kit/domain";

import { type Api, hasNextPage, nextIn } from "./domain/api.ts";
import type { GatewayCall } from "./domain/gateway/gateway.ts";
import { nameOf, type Repo, requireRepo } from "./domain/gateway/repositories.ts";
import { listIn, toText } from "./domain/answers/projection.ts";
import type { GithubContext } from "./state.ts";

const MOST_PAGES = 10;

/** `question` shows a person the call, should they be asked about it. */
export function apiOf(context: GithubContext, question?: () => string): Api {
  const { gateway } = context.state;
  const call = toGatewayCall(context, question);
  const get: Api["get"] = (route, params = {}, more = {}) =>
    gateway.request({ ...more, route: `GET ${route}`, params }, call);
  return {
    gateway,
    call,
    get,
    all: async (route, params, { itemsIn, isByCursor = false, ...more } = {}) => {
      const items: unknown[] = [];
      let hidden = 0;
      let next: string | undefined = isByCursor ? "" : "page=1";
      for (let page = 1; page <= MOST_PAGES && next !== undefined; page += 1) {
        const where = Object.fromEntries(new URLSearchParams(next));
        const answer = await get(route, { ...params, per_page: 100, ...where }, more);
        items.push(...listIn(answer.data, itemsIn));
        hidden += answer.hidden;
        next = isByCursor ? nextIn(answer) : hasNextPage(answer) ? `page=${page + 1}` : undefined;
      }
      return { items, isWhole: next === undefined, hidden };
    },
    text: async (route, params, more) => {
      const { data } = await get(route, params, { strangers: true, isText: true, ...more });
      return data instanceof ArrayBuffer ? Buffer.from(data).toString() : toText(data);
    },
    send: async (request) => (await gateway.request(request, call)).data,
    graphql: (request) => gateway.graphql(request, call),
  };
}

function toGatewayCall(context: GithubContext, question = () => ""): GatewayCall {
  const { signal, principal = "" } = context;
  const ask = consentIn(context, "dev.suite/taint");
  return {
    principal,
    signal,
    timeLeft: () => timeLeftIn(context),
    ask: ask && ((words) => ask(`${words}\n${question()}`)),
    cleared: new Map(),
  };
}

/** As far as the arguments name a repository. */
export interface NamedRepo {
  readonly owner?: string | undefined;
  readonly repo?: string | undefined;
}

/** The server's single repository, if it has one; otherwise the one named in the arguments. */
export function repoOf({ owner, repo }: NamedRepo, { state }: Pick<GithubContext, "state">): Repo {
  const { single } = state.gateway.lists;
  if (single === undefined) return requireRepo(owner ?? "", repo ?? "");
  const named = { owner: owner ?? single.owner, repo: repo ?? single.repo };
  if (nameOf(named).toLowerCase() === nameOf(single)) return single;
  throw new Fault("permission_denied", `This server is for ${nameOf(single)} alone, not ${nameOf(named)}.`, {
    hint: "Leave owner and repo out.",
  });
}
