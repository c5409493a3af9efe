import { Fault } from "@suite/server-kit/domain";

import { type Fields, toFields, toText } from "../answers/projection.ts";
import type { Endpoints } from "./endpoints.ts";
import type { Facts } from "./facts.ts";
import { parseRepoPattern } from "./repo-names.ts";
import { nameOf, type Repo, type RepositoryLists, requireRepo } from "./repositories.ts";

export interface Outgoing {
  readonly method: string;
  readonly url: URL;
  readonly body: string | undefined;
  /** Whose token it was to be sent with, if the URL does not tell. */
  readonly owner?: string | undefined;
}

export interface AdmittedRequest {
  /** The URL to send: qualifiers are added to searches. */
  readonly url: URL;
  /** Whose token to use. */
  readonly owner: string | undefined;
}

/** Questions that only GitHub can answer. */
type Lookups = Pick<Facts, "repoById" | "repoOfThread" | "viewer">;

/** May be read, although they name no repository: answers are filtered. */
const GENERAL: ReadonlySet<string> = new Set(["user", "rate_limit", "user/repos"]);

/**
 * The one place that decides whether a request may leave. It reads what really goes out (method, URL, body), so that no
 * tool can forget to ask, and refuses whatever it does not know.
 */
export class Admission {
  readonly #lists: RepositoryLists;
  readonly #endpoints: Endpoints;
  readonly #lookups: Lookups;
  /** Repositories of the node ids that were resolved. */
  readonly #nodes = new Map<string, Repo>();

  constructor(lists: RepositoryLists, endpoints: Endpoints, lookups: Lookups) {
    this.#lists = lists;
    this.#endpoints = endpoints;
    this.#lookups = lookups;
  }

  /** A node id does not name its repository, which has to be looked up first. */
  trustNode(id: string, repo: Repo): void {
    if (this.#nodes.size > 10_000) this.#nodes.clear();
    this.#nodes.set(id, repo);
  }

  isApi({ href }: URL): boolean {
    const { rest, graphql } = this.#endpoints;
    return href === graphql || href.startsWith(`${rest}/`);
  }

  async admit(outgoing: Outgoing): Promise<AdmittedRequest> {
    const { url, method } = outgoing;
    if (url.href === this.#endpoints.graphql) return this.#admitGraphql(outgoing);
    const segments = this.#segmentsOf(url);
    const isRead = method === "GET" || method === "HEAD";
    switch (segments[0] ?? "") {
      case "repos":
        return this.#admitRepo(
          requireRepo(segments[1] ?? "", segments[2] ?? ""),
          segments.slice(3),
          outgoing,
        );
      case "repositories":
        // Needed to resolve the id, before the repository can be checked.
        if (isRead && segments.length === 2) return { url, owner: outgoing.owner };
        return this.#admitRepo(
          await this.#lookups.repoById(segments[1] ?? "", outgoing.owner),
          segments.slice(2),
          outgoing,
        );
      case "search":
        if (isRead) {
          // People are in no repository.
          const limited = segments[1] === "users" ? url : limitQuery(url, this.#lists);
          return { url: limited, owner: ownerOfQuery(limited) };
        }
        break;
      case "app":
        if (method === "POST" && /^app\/installations\/\d+\/access_tokens$/.test(segments.join("/")))
          return { url, owner: undefined };
        break;
      case "orgs":
      case "users":
        if (segments.length === 3 && segments[2] === "repos")
          return this.#admitOwner(segments[1] ?? "", outgoing);
        return this.#admitOwned(segments, outgoing);
      case "notifications":
        return this.#admitNotifications(segments, outgoing);
      case "user":
        if (method === "POST" && segments.join("/") === "user/repos")
          // With the token whose user was looked up, even if there is another for that owner.
          return { ...this.#admitOwner(await this.#lookups.viewer(), outgoing), owner: undefined };
        break;
      default:
    }
    if (isRead && GENERAL.has(segments.join("/"))) return { url, owner: undefined };
    throw toUnknown(outgoing);
  }

  /** The owner that a URL names. */
  ownerIn(url: URL): string | undefined {
    const [kind, owner] = this.#segmentsOf(url);
    return kind === "repos" ? owner : undefined;
  }

  #segmentsOf(url: URL): string[] {
    const path = url.pathname.slice(new URL(this.#endpoints.rest).pathname.replace(/\/$/, "").length + 1);
    try {
      return path.split("/").map((segment) => decodeURIComponent(segment));
    } catch {
      throw new Fault("invalid_input", `${url.pathname} is not a path.`);
    }
  }

  async #admitRepo(
    repo: Repo,
    rest: readonly string[],
    { method, url, body }: Outgoing,
  ): Promise<AdmittedRequest> {
    const isRead = method === "GET" || method === "HEAD";
    if (!isRead && rest.join("") === "") throw toUnknown({ method, url });
    if (!isRead && rest.length === 1 && rest[0] === "forks") {
      this.#lists.require("read", repo);
      const { organization, name } = toFields(parseJson(body));
      const owner = typeof organization === "string" ? organization : await this.#lookups.viewer(repo.owner);
      this.#lists.require("write", requireRepo(owner, toText(name) || repo.repo));
    } else {
      this.#lists.require(isRead ? "read" : "write", repo);
    }
    if (rest[0] === "compare" && rest.join("/").includes(":")) {
      throw new Fault("permission_denied", "This server does not compare with forks (owner:branch).");
    }
    if (method === "POST" && rest.length === 1 && rest[0] === "pulls") this.#requireHead(repo, body);
    return { url, owner: repo.owner };
  }

  /** `owner:branch` exposes a branch of a fork, which must be readable, too. */
  #requireHead({ repo }: Repo, body: string | undefined): void {
    const [owner = "", ...branch] = toText(toFields(parseJson(body))["head"]).split(":");
    if (branch.length > 0) this.#lists.require("read", requireRepo(owner, repo));
  }

  /** Lists repositories, which are filtered in the answer, or creates one. */
  #admitOwner(owner: string, { method, url, body }: Outgoing): AdmittedRequest {
    if (method === "POST") {
      this.#lists.require("write", requireRepo(owner, toText(toFields(parseJson(body))["name"])));
    } else if (method !== "GET") {
      throw toUnknown({ method, url });
    }
    return { url, owner };
  }

  /**
   * What belongs to an owner and to none of their repositories. A list of single repositories does not include it, except for
   * the types of issues, which the repositories of an owner share.
   */
  #admitOwned(segments: readonly string[], { method, url, body }: Outgoing): AdmittedRequest {
    const [kind = "", owner = "", ...rest] = segments;
    const isRead = method === "GET" || method === "HEAD";
    requireRepo(owner, "any");
    const path = rest.join("/");
    const isShared = kind === "orgs" && isRead && path === "issue-types";
    const isKnown = isRead ? PROJECT.test(path) || (kind === "orgs" && MEMBERS.test(path)) : ITEMS.test(path);
    if (!isKnown && !isShared) throw toUnknown({ method, url });
    if (!isShared || !this.#lists.knows(owner))
      this.#lists.require(isRead ? "read" : "write", { owner, repo: "*" });
    if (method === "POST") {
      // The title of an issue that is added can be read in the project.
      const { owner: from, repo, number } = toFields(parseJson(body));
      if (typeof number !== "number") throw toUnknown({ method, url });
      this.#lists.require("read", requireRepo(toText(from), toText(repo)));
    }
    return { url, owner };
  }

  /** A thread is one of a repository, which has to be looked up; all of them at once are those of every repository. */
  async #admitNotifications(
    segments: readonly string[],
    { method, url }: Outgoing,
  ): Promise<AdmittedRequest> {
    const [, kind, id = ""] = segments;
    const isThread = kind === "threads" && segments.length === 3 && /^\d+$/.test(id);
    if (method === "GET" && (isThread || segments.length === 1)) return { url, owner: undefined };
    if (isThread && (method === "PATCH" || method === "DELETE")) {
      if (this.#lists.isWriteLimited) this.#lists.require("write", await this.#lookups.repoOfThread(id));
      return { url, owner: undefined };
    }
    if (method !== "PUT" || segments.length !== 1) throw toUnknown({ method, url });
    if (!this.#lists.isWriteLimited) return { url, owner: undefined };
    throw new Fault("permission_denied", "These are the notifications of all repositories.", {
      hint: `Name owner and repo. This server may write ${this.#lists.describe("write")}.`,
    });
  }

  /** The variables of our documents have `owner` and `repo`, or ids of nodes that were resolved. */
  #admitGraphql({ url, body }: Outgoing): AdmittedRequest {
    const { query, variables } = toFields(parseJson(body));
    const given = toFields(variables);
    const { owner, repo } = given;
    const isWrite = toText(query).trimStart().startsWith("mutation");
    const isNamed = typeof owner === "string" && typeof repo === "string";
    const targets = [
      ...(isNamed ? [requireRepo(owner, repo)] : []),
      ...idsIn(given).map((id) => this.#nodes.get(id)),
    ];
    const [target] = targets;
    const isSame = (each: Repo | undefined): boolean =>
      target !== undefined &&
      each !== undefined &&
      nameOf(each).toLowerCase() === nameOf(target).toLowerCase();
    if (target === undefined || !targets.every(isSame)) {
      throw new Fault("permission_denied", "The repository of this GraphQL request is unknown.");
    }
    this.#lists.require(isWrite ? "write" : "read", target);
    return { url, owner: target.owner };
  }
}

/** Of an owner: projects, with what is in them, and the items that may be written. */
const PROJECT = /^projectsV2(?:\/\d+(?:\/(?:fields|items)(?:\/\d+)?)?)?$/;
const ITEMS = /^projectsV2\/\d+\/items(?:\/\d+)?$/;
const MEMBERS = /^teams\/[^/]+\/members$/;

/** The ids of nodes among the variables of a document; `resolve` is the question which repository one belongs to. */
export const idsIn = (variables: Fields): readonly string[] =>
  Object.entries(variables)
    .filter(
      ([name, value]) => (name === "id" || name.endsWith("Id")) && value !== undefined && value !== null,
    )
    .map(([, value]) => toText(value));

const toUnknown = ({ method, url }: Pick<Outgoing, "method" | "url">): Fault =>
  new Fault("permission_denied", `${method} ${url.pathname} is not a request that this server makes.`);

const WAY = /(?:[/\\]|%2f|%5c)(?:\.|%2e){1,2}(?:[/\\]|%2f|%5c|$)/i;

/** URL parsing would resolve `.` and `..` and hide what was asked for, so they are refused before. */
export function toUrl(given: string): URL {
  const [address = ""] = given.split("?", 1);
  if (!WAY.test(address)) return new URL(given);
  throw new Fault("invalid_input", `Names may not be "." or ".." (${address}).`, {
    hint: "Check the names and ids among the arguments.",
  });
}

export function parseJson(body: string | undefined): unknown {
  try {
    return JSON.parse(body ?? "null");
  } catch {
    return undefined;
  }
}

/** Matches qualifiers even within quotes, because GitHub might read them either way. */
const PLACE = /(?<![\w.])(-+|NOT\s+)?((repo|org|user|owner|enterprise):\s*"?([^\s")]*)"?)/gi;

/**
 * Keeps a search within the repositories that may be read: refuses qualifiers for others, even negated ones, and appends the
 * limits. The results are filtered once more.
 */
function limitQuery(url: URL, lists: RepositoryLists): URL {
  if (!lists.isReadLimited) return url;
  const query = url.searchParams.get("q") ?? "";
  requireClosed(query);
  const wanted = new Set<string>();
  for (const [, negation, text = "", kind = "", value = ""] of query.matchAll(PLACE)) {
    const pattern = parseRepoPattern(kind.toLowerCase() === "repo" ? value : `${value}/*`);
    if (pattern === undefined || !isWithin(pattern.owner, pattern.repo, lists)) {
      throw new Fault("permission_denied", `${text} is outside the repositories that this server may read.`, {
        hint: `It may read ${lists.describe("read")}. Leave the qualifier out to search in all of them.`,
      });
    }
    if (negation === undefined) wanted.add(`${kind.toLowerCase()}:${value}`);
  }
  const limits = [...(wanted.size > 0 ? wanted : new Set(lists.toQualifiers()))];
  const limited = new URL(url);
  // Without OR, an issue would have to be in all of them. Other searches do not support parentheses.
  const isAny = limits.length > 1 && url.pathname.endsWith("/search/issues");
  const ending = isAny ? `(${limits.join(" OR ")})` : limits.join(" ");
  const whole = `${inBrackets(query)} ${ending}`.trim();
  if (isAny && (whole.match(/\b(?:AND|OR|NOT)\b/g) ?? []).length > MOST_OPERATORS) {
    throw new Fault(
      "invalid_input",
      "GitHub cannot run this search over all of this server's repositories at once.",
      {
        hint: "Search one repository at a time, with owner and repo.",
      },
    );
  }
  limited.searchParams.set("q", whole);
  return limited;
}

/** The only owner in whose repositories a query searches. */
function ownerOfQuery(url: URL): string | undefined {
  const places = [...(url.searchParams.get("q") ?? "").matchAll(PLACE)];
  const owners = new Set(places.map(([, , , , value = ""]) => value.split("/")[0]?.toLowerCase()));
  return owners.size === 1 ? [...owners][0] : undefined;
}

/** GitHub's limit on AND, OR and NOT. */
const MOST_OPERATORS = 5;

/** Qualifiers added to a query would bind tighter than its OR. */
export function inBrackets(query: string): string {
  if (!/\bOR\b/i.test(query)) return query;
  requireClosed(query);
  return `(${query})`;
}

/** An unclosed quote or bracket would swallow the limits appended to the query. */
function requireClosed(query: string): void {
  const unquoted = query.replaceAll(/"[^"]*"/g, "");
  let depth = 0;
  for (const [sign] of unquoted.matchAll(/[()]/g)) {
    depth += sign === "(" ? 1 : -1;
    if (depth < 0) break;
  }
  if (depth === 0 && !unquoted.includes('"') && !query.includes('\\"')) return;
  throw new Fault("invalid_input", "The query has an unmatched quote or bracket.");
}

/** A search of a whole owner needs permission to read all of it. */
const isWithin = (owner: string, repo: string, lists: RepositoryLists): boolean =>
  repo === "*" ? lists.toQualifiers().includes(`user:${owner}`) : lists.allows("read", { owner, repo });
