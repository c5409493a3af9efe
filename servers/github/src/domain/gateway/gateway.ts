import { Fault } from "@suite/server-kit/domain";

import { type Fields, toFields, toText } from "../answers/projection.ts";
import { Admission, idsIn, parseJson, toUrl } from "./admission.ts";
import { Attempts, type SendOptions } from "./attempts.ts";
import {
  type OtherPlace,
  type ReadPlace,
  repoOf,
  repoOfItem,
  sightingOf,
  standingIn,
  type Target,
  targetOf,
  withoutOutside,
} from "./belonging.ts";
import { Credentials, type CredentialSettings } from "./credentials.ts";
import { RESOLVE_NODE } from "./documents.ts";
import type { Endpoints } from "./endpoints.ts";
import { explain, type Failed, requireData, requireGraphqlData } from "./explain.ts";
import { Facts, Untold } from "./facts.ts";
import type { OctokitAnswer, SendRequest } from "./octokit-fetch.ts";
import { Lockdown } from "./lockdown.ts";
import { type OctokitClient, createClient } from "./octokit.ts";
import { toPatterns } from "./repo-names.ts";
import { nameOf, type Repo, RepositoryLists } from "./repositories.ts";
import type { Sighting } from "./taint-memory.ts";
import { type Ask, hasStrangers, itemsOf, TaintGuard, type TaintSettings } from "./taint.ts";
import { ApiTransport } from "./transport.ts";

export interface GatewaySettings {
  readonly endpoints: Endpoints;
  readonly credentials: CredentialSettings;
  readonly repos: readonly string[];
  readonly writeRepos: readonly string[];
  readonly lockdown: boolean;
  readonly taint: TaintSettings;
  readonly userAgent: string;
  readonly send: SendRequest;
  /** Called as soon as an answer tells the scopes of a classic token, which are then among the facts. */
  readonly onScopes: () => void;
}

/** On whose behalf a request is made, and how long there is for it. */
export interface GatewayCall {
  /** Of an HTTP client; empty for the one at our standard streams. */
  readonly principal: string;
  readonly signal: AbortSignal;
  readonly timeLeft: () => number;
  readonly ask: Ask;
  /** The places that it may write to, or may not, as far as it has come to write. */
  readonly cleared: Map<string, Promise<void>>;
}

export interface ApiRequest {
  /** Such as `GET /repos/{owner}/{repo}/issues`. */
  readonly route: string;
  readonly params?: Fields;
  readonly accept?: string;
  /** Whether the answer is text (a diff or a log), not JSON. */
  readonly isText?: boolean;
  /** Whether strangers may have written what is read. Determined from the answer if not set. */
  readonly strangers?: boolean;
  /** The sha of the commit that is read, if it was named by sha: it may be a fork's. */
  readonly commit?: string | undefined;
  /** Whether the answer is not shown to anyone, and so need not be recorded. */
  readonly isUnread?: boolean;
  /** Where it is written, if not to the repository in `params`. */
  readonly target?: OtherPlace;
  /** Where it is read, if not in the repository in `params`, or not for everybody who may read that. */
  readonly within?: (data: unknown) => ReadPlace | undefined;
}

export interface GatewayAnswer {
  readonly data: unknown;
  readonly headers: OctokitAnswer["headers"];
  /** How many items lockdown or the repository lists removed. */
  readonly hidden: number;
}

export interface GraphqlRequest {
  readonly document: string;
  readonly variables: Fields;
  /** The repository that the nodes among the variables must belong to. */
  readonly repo: Repo;
  readonly commit?: string | undefined;
}

const API_VERSION = "2022-11-28";

/** All requests to GitHub go through here, from tools, resources, prompts and completion. */
export class Gateway {
  readonly lists: RepositoryLists;
  readonly facts: Facts;
  readonly credentials: Credentials;
  readonly endpoints: Endpoints;
  readonly lockdown: boolean;
  readonly #settings: GatewaySettings;
  readonly #admission: Admission;
  readonly #transport: ApiTransport;
  readonly #taint: TaintGuard;
  readonly #lockdown: Lockdown;
  readonly #lookups = new Attempts();
  #client: Promise<OctokitClient> | undefined;

  constructor(settings: GatewaySettings) {
    const { endpoints, send, onScopes } = settings;
    this.#settings = settings;
    this.endpoints = endpoints;
    this.lockdown = settings.lockdown;
    this.lists = new RepositoryLists(toPatterns(settings.repos, settings.writeRepos));
    this.credentials = new Credentials(settings.credentials);
    this.facts = new Facts((path, owner) => this.#ask(path, owner), onScopes);
    this.#admission = new Admission(this.lists, endpoints, this.facts);
    this.#transport = new ApiTransport({
      send,
      admission: this.#admission,
      credentials: this.credentials,
      baseUrl: endpoints.rest,
      observe: (headers) => this.facts.observe(headers),
    });
    this.#taint = new TaintGuard(settings.taint, this.facts);
    this.#lockdown = new Lockdown(this.facts);
  }

  async request(request: ApiRequest, call: GatewayCall): Promise<GatewayAnswer> {
    const described = await this.describe(request);
    const { isRead } = described;
    if (!isRead) await this.#requireHarmless(targetOf(request, described), call);
    const { data, headers } = await this.#send(request, described, call);
    if (!isRead) return { data, headers, hidden: 0 };
    return { headers, ...(await this.#receive(data, request, call)) };
  }

  /** What would be sent. Throws if it is not admitted. */
  async describe({ route, params }: ApiRequest): Promise<Failed & { readonly body: unknown }> {
    const client = await this.#open();
    const { method, url, body } = client.describe(route, { ...params });
    const json = body === undefined ? undefined : JSON.stringify(body);
    await this.#admission.admit({ method, url: toUrl(url), body: json });
    const path = withoutPaging(url.slice(this.endpoints.rest.length));
    const isRead = method === "GET";
    return { method, path, body, isRead, isAnonymous: this.credentials.isAnonymous };
  }

  /** `variables` have `owner` and `repo`, or ids of nodes, whose repositories are looked up first. */
  async graphql({ document, variables, repo, commit }: GraphqlRequest, call: GatewayCall): Promise<Fields> {
    const isWrite = document.trimStart().startsWith("mutation");
    this.lists.require(isWrite ? "write" : "read", repo);
    for (const id of idsIn(variables)) await this.#resolve(id, repo, call);
    if (isWrite) await this.#requireHarmless(targetOf({ repo }), call);
    const data = await this.#askGraphql(document, variables, call, isWrite);
    if (isWrite) return data;
    await this.#taint.saw(call.principal, [{ repo, isByStrangers: hasStrangers(data, 8), commit }]);
    return (this.lockdown ? await this.#lockdown.sift(data, () => repo) : data) as Fields;
  }

  /**
   * Asked once per call and place, before the first write. The content was settled before the call began, so reads during the
   * call do not matter; and a question between two writes would make the client repeat the first one with its answer.
   */
  #requireHarmless(target: Target, { principal, ask, cleared }: GatewayCall): Promise<void> {
    const key = JSON.stringify(target.place).toLowerCase();
    // Who agreed to have it run there agreed to have it there.
    const known = cleared.get(`${key} run`) ?? (target.isRun ? undefined : cleared.get(key));
    const judged = known ?? this.#taint.requireHarmless(principal, target, ask);
    cleared.set(target.isRun ? `${key} run` : key, judged);
    return judged;
  }

  /** Settles for a whole call, before its first request, whether it may write there. */
  async clear(request: ApiRequest | GraphqlRequest, call: GatewayCall): Promise<void> {
    const sent = "route" in request ? await this.describe(request) : undefined;
    await this.#requireHarmless(targetOf(request, sent), call);
  }

  /** What a person would be asked before this write. Throws if it would be refused. */
  async questionBefore(request: ApiRequest | GraphqlRequest, call: GatewayCall): Promise<string | undefined> {
    const sent = "route" in request ? await this.describe(request) : undefined;
    return this.#taint.questionBefore(call.principal, targetOf(request, sent), call.ask);
  }

  /** A node id does not show which repository it belongs to. */
  async #resolve(id: string, repo: Repo, call: GatewayCall): Promise<void> {
    const variables = { owner: repo.owner, repo: repo.repo, resolve: id };
    const { node } = await this.#askGraphql(RESOLVE_NODE, variables, call, false);
    const { pullRequest, discussion, repository } = toFields(node);
    const place = repository ?? toFields(pullRequest ?? discussion)["repository"];
    const name = toText(toFields(place)["nameWithOwner"]);
    if (name.toLowerCase() !== nameOf(repo).toLowerCase()) {
      throw new Fault("not_found", `There is nothing with the id ${JSON.stringify(id)} in ${nameOf(repo)}.`, {
        hint: "Take the id of a review thread from pull_request_read with get_review_comments, of a discussion's comment from discussion_read.",
      });
    }
    this.#admission.trustNode(id, repo);
  }

  async #askGraphql(
    document: string,
    variables: Fields,
    call: GatewayCall,
    isWrite: boolean,
  ): Promise<Fields> {
    const failed: Failed = {
      method: "POST",
      path: "/graphql",
      isRead: !isWrite,
      isAnonymous: this.credentials.isAnonymous,
    };
    const body = await this.#run(failed, call, (client, options) =>
      client.request(`POST ${this.endpoints.graphql}`, { query: document, variables, ...options }),
    );
    return requireGraphqlData(requireData(body, failed), failed);
  }

  /** Filters the answer, and records what was seen. */
  async #receive(
    data: unknown,
    request: ApiRequest,
    call: GatewayCall,
  ): Promise<Omit<GatewayAnswer, "headers">> {
    const own = repoOf(request);
    const whereIs = (item: unknown): Repo | undefined => repoOfItem(item) ?? own;
    const { data: allowed, hidden } = this.#withinLists(data, own);
    const items = itemsOf(allowed);
    const { strangers, commit, within } = request;
    const sightings: Sighting[] = (items.length > 0 ? items : [allowed]).flatMap((item) => {
      const repo = whereIs(item);
      if (repo === undefined) return [];
      return [{ repo, isByStrangers: strangers ?? hasStrangers(item), standing: standingIn(item), commit }];
    });
    const place = within?.(allowed);
    if (place !== undefined) sightings.push({ ...sightingOf(place), isByStrangers: false });
    if (request.isUnread !== true) await this.#taint.saw(call.principal, sightings);
    if (!this.lockdown) return { data: allowed, hidden };
    const sifted = await this.#lockdown.sift(allowed, whereIs);
    return { data: sifted, hidden: hidden + items.length - itemsOf(sifted).length };
  }

  /** Removes items of repositories that may not be read. Throws if the whole answer is one. */
  #withinLists(data: unknown, own: Repo | undefined): { data: unknown; hidden: number } {
    if (!this.lists.isReadLimited) return { data, hidden: 0 };
    const isOutside = (item: unknown): boolean => {
      const repo = repoOfItem(item);
      return repo !== undefined && !this.lists.allows("read", repo);
    };
    if (isOutside(data)) {
      throw new Fault("permission_denied", "This is in a repository that this server may not read.", {
        hint: `It may read ${this.lists.describe("read")}.`,
      });
    }
    const allowed = withoutOutside(data, isOutside);
    const hidden = itemsOf(data).length - itemsOf(allowed).length;
    if (hidden === 0 || own !== undefined) return { data: allowed, hidden };
    // The number of results elsewhere would reveal what is there.
    const { total_count: _, ...rest } = toFields(allowed);
    return { data: Array.isArray(allowed) ? allowed : rest, hidden: 0 };
  }

  async #send(
    { route, params, accept, isText = false }: ApiRequest,
    failed: Failed,
    call: GatewayCall,
  ): Promise<OctokitAnswer> {
    const answer = await this.#run(failed, call, (client, options) => {
      const headers = { ...options.headers, ...(accept !== undefined && { accept }) };
      return client.request(route, { ...params, ...options, headers });
    });
    return isText ? answer : requireData(answer, failed);
  }

  async #run(
    failed: Failed,
    { signal, timeLeft }: Pick<GatewayCall, "signal" | "timeLeft">,
    work: (
      client: OctokitClient,
      options: { headers: Fields; request: SendOptions },
    ) => Promise<OctokitAnswer>,
  ): Promise<OctokitAnswer> {
    signal.throwIfAborted();
    try {
      return await work(await this.#open(), {
        headers: { "x-github-api-version": API_VERSION },
        // A write may have been done despite a failure, so it is never retried.
        request: { signal, timeLeft, ...(!failed.isRead && { retries: 0 }) },
      });
    } catch (thrown) {
      if (signal.aborted && !(thrown instanceof Fault)) throw signal.reason;
      throw explain(thrown, failed);
    }
  }

  /** Our own lookups have their own time: several calls may wait for one of them. */
  async #ask(path: string, owner: string | undefined): Promise<unknown> {
    const failed = { method: "GET", path, isRead: true, isAnonymous: this.credentials.isAnonymous };
    const signal = AbortSignal.timeout(QUESTION_MS);
    const until = Date.now() + QUESTION_MS;
    const send = (): Promise<OctokitAnswer> => this.#askOnce(path, owner, signal);
    try {
      const timeLeft = (): number => until - Date.now();
      return requireData(await this.#lookups.run(`GET ${path}`, { signal, timeLeft }, send), failed).data;
    } catch (thrown) {
      const { code, message, hint, details, retryable, ...rest } = explain(thrown, failed);
      if (!retryable) throw new Untold(code, message, { hint, details, cause: thrown });
      throw new Fault(code, message, { hint, details, retryAfterMs: rest.retryAfterMs, cause: thrown });
    }
  }

  async #askOnce(path: string, owner: string | undefined, signal: AbortSignal): Promise<OctokitAnswer> {
    const headers = {
      accept: "application/vnd.github+json",
      "user-agent": this.#settings.userAgent,
      "x-github-api-version": API_VERSION,
    };
    const sent = this.#transport.fetch(`${this.endpoints.rest}${path}`, {
      method: "GET",
      owner,
      headers,
      signal,
    });
    // As Octokit reports failures, for those who try again and explain.
    const response = await sent.catch((cause: unknown) => {
      throw Object.assign(new Error("GitHub could not be asked", { cause }), { status: 500 });
    });
    const text = await response.text();
    const answer = {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      data: parseJson(text) ?? text,
    };
    if (response.ok) return answer;
    throw Object.assign(new Error("GitHub refused"), { status: response.status, response: answer });
  }

  #open(): Promise<OctokitClient> {
    const { endpoints, userAgent } = this.#settings;
    return (this.#client ??= createClient(endpoints.rest, userAgent, this.#transport.fetch));
  }
}

const QUESTION_MS = 15_000;

/** Keeps the rest of the query, such as a ref, which may be what is wrong. */
const withoutPaging = (path: string): string =>
  path.replaceAll(/(?<=[?&])(?:per_page|page)=\d+(?:&|$)/g, "").replace(/[?&]$/, "");
