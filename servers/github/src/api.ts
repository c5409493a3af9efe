import { consentIn, timeLeftIn } from "@suite/server-kit";
import { Fault } from "@suite/server-kit/domain";

import { type Api, hasNextPage } from "./domain/api.ts";
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
    all: async (route, params, { itemsIn, ...more } = {}) => {
      const items: unknown[] = [];
      for (let page = 1; page <= MOST_PAGES; page += 1) {
        const answer = await get(route, { ...params, per_page: 100, page }, more);
        items.push(...listIn(answer.data, itemsIn));
        if (!hasNextPage(answer)) return { items, isWhole: true };
      }
      return { items, isWhole: false };
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
