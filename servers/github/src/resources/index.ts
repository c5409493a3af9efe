import type { ResourceContents, ResourceTemplateDefinition } from "@suite/server-kit";
import { Fault, sniff } from "@suite/server-kit/domain";

import { apiOf } from "../api.ts";
import { defineResourceTemplate } from "../define.ts";
import { decodeText, toUrlPath } from "../domain/contents.ts";
import type { ApiRequest } from "../domain/gateway/gateway.ts";
import { type Repo, requireRepo } from "../domain/gateway/repositories.ts";
import { project, renderItem, toFields, toText } from "../domain/projection.ts";
import { pickLines } from "../domain/log-lines.ts";
import type { GithubContext, GithubState } from "../state.ts";
import { JOBS_ROUTE, NO_LOG, orWithoutLog, requireTrustedRun } from "../tools/actions.ts";
import { MOST_ENTRIES, NOT_ALL_ENTRIES, readContents } from "../tools/contents.ts";
import { COMMENT, ISSUE_FULL, PULL_FULL } from "../tools/projections.ts";
import {
  completeBranch,
  completeIssue,
  completeOwner,
  completePath,
  completePull,
  completeRepo,
  completeRun,
  completeSha,
  completeTag,
} from "./completion.ts";

/** Marks text written by others, for clients that pass it on to a model. */
const UNTRUSTED = { "dev.suite/untrusted": true };
/** In characters. Tools can read longer texts in parts. */
const LARGEST_TEXT = 1_000_000;
const LOG_TAIL = 1000;
/** Each log takes a request. */
const MOST_LOGS = 100;

interface ContentsLocation extends Repo {
  readonly path?: readonly string[];
  readonly ref?: string;
}

const ofRepo = { owner: completeOwner, repo: completeRepo };

/** The ways to name the ref whose contents are read. */
const VARIANTS = [
  {
    name: "contents",
    at: "",
    title: "File or directory",
    variable: undefined,
    complete: undefined,
    prefix: "",
  },
  {
    name: "branch contents",
    at: "/refs/heads/{branch}",
    title: "File on a branch",
    variable: "branch",
    complete: completeBranch,
    prefix: "refs/heads/",
  },
  {
    name: "commit contents",
    at: "/sha/{sha}",
    title: "File at a commit",
    variable: "sha",
    complete: completeSha,
    prefix: "",
  },
  {
    name: "tag contents",
    at: "/refs/tags/{tag}",
    title: "File at a tag",
    variable: "tag",
    complete: completeTag,
    prefix: "refs/tags/",
  },
  {
    name: "pull request contents",
    at: "/refs/pull/{number}/head",
    title: "File of a pull request",
    variable: "number",
    complete: completePull,
    prefix: "refs/pull/",
  },
] as const;

export const templates: readonly ResourceTemplateDefinition<GithubState>[] = [
  ...VARIANTS.map(({ name, at, title, variable, complete, prefix }) => {
    const toLocation = (
      given: Readonly<Record<string, string | readonly string[] | undefined>>,
    ): ContentsLocation => {
      const ref =
        variable === undefined
          ? undefined
          : `${prefix}${String(given[variable])}${variable === "number" ? "/head" : ""}`;
      return { ...repoIn(given), path: (given["path"] ?? []) as string[], ...(ref !== undefined && { ref }) };
    };
    const uriTemplate: string = `repo://{owner}/{repo}${at}/contents{/path*}`;
    return defineResourceTemplate({
      uriTemplate,
      name,
      title,
      description: "A file as text or bytes, or the names in a directory",
      read: (given, context, uri) => readAt(toLocation(given), context, uri),
      complete: { ...ofRepo, path: completePath, ...(variable !== undefined && { [variable]: complete }) },
      subscribe: (uri, changed, { poller }) => poller.watch([toContentsRequest(uri)], changed),
    });
  }),
  defineResourceTemplate({
    uriTemplate: "repo://{owner}/{repo}/issues/{number}",
    name: "issue",
    title: "An issue with its comments",
    mimeType: "text/plain",
    read: ({ number, ...given }, context, uri) => readPost("issues", given, number, context, uri),
    complete: { ...ofRepo, number: completeIssue },
    subscribe: (uri, changed, { poller }) => poller.watch(toPostRequests(uri), changed),
  }),
  defineResourceTemplate({
    uriTemplate: "repo://{owner}/{repo}/pulls/{number}",
    name: "pull request",
    title: "A pull request with its comments",
    mimeType: "text/plain",
    read: ({ number, ...given }, context, uri) => readPost("pulls", given, number, context, uri),
    complete: { ...ofRepo, number: completePull },
    subscribe: (uri, changed, { poller }) => poller.watch(toPostRequests(uri), changed),
  }),
  defineResourceTemplate({
    uriTemplate: "repo://{owner}/{repo}/actions/runs/{run_id}/logs",
    name: "run log",
    title: "The logs of a run",
    description: `The last ${LOG_TAIL} lines of each job`,
    mimeType: "text/plain",
    read: readRunLog,
    complete: { ...ofRepo, run_id: completeRun },
  }),
];

const repoIn = ({ owner, repo }: { readonly [name: string]: unknown }): Repo =>
  requireRepo(toText(owner), toText(repo));

const toContents = (uri: string, text: string): ResourceContents => {
  if (text.length <= LARGEST_TEXT) return { uri, mimeType: "text/plain", text, _meta: UNTRUSTED };
  throw new Fault("too_large", `This has ${text.length} characters.`, {
    hint: "The tools of this server read it in parts.",
  });
};

async function readAt(
  { path = [], ref, ...repo }: ContentsLocation,
  context: GithubContext,
  uri: string,
): Promise<ResourceContents> {
  const found = await readContents(apiOf(context), repo, path.join("/"), ref);
  if (!("bytes" in found)) {
    const lines = found.map((entry) => renderItem(project(entry, ["path", "type", "size"])));
    return toContents(uri, [...lines, ...(found.length < MOST_ENTRIES ? [] : [NOT_ALL_ENTRIES])].join("\n"));
  }
  const text = decodeText(found.bytes);
  if (text !== undefined) return toContents(uri, text);
  return {
    uri,
    mimeType: sniff(found.bytes, found.path).mimeType,
    blob: found.bytes.toString("base64"),
    _meta: UNTRUSTED,
  };
}

async function readPost(
  kind: "issues" | "pulls",
  given: { readonly [name: string]: unknown },
  number: string,
  context: GithubContext,
  uri: string,
): Promise<ResourceContents> {
  const api = apiOf(context);
  const params = { ...repoIn(given), number: requireNumber(number) };
  const post = await api.get(`/repos/{owner}/{repo}/${kind}/{number}`, params);
  const { items, isWhole } = await api.all("/repos/{owner}/{repo}/issues/{number}/comments", params);
  const parts = [
    renderItem(project(post.data, kind === "issues" ? ISSUE_FULL : PULL_FULL)),
    ...items.map((comment) => renderItem(project(comment, COMMENT))),
    ...(isWhole ? [] : [`There are more comments than these ${items.length}: get_comments has them.`]),
  ];
  return toContents(uri, parts.join("\n\n"));
}

function requireNumber(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new Fault("not_found", `${JSON.stringify(text)} is not a number.`);
}

async function readRunLog(
  given: { readonly owner: string; readonly repo: string; readonly run_id: string },
  context: GithubContext,
  uri: string,
): Promise<ResourceContents> {
  const api = apiOf(context);
  const params = { ...repoIn(given), run_id: requireNumber(given.run_id) };
  await requireTrustedRun(api, repoIn(given), params.run_id);
  const { items: jobs } = await api.all(JOBS_ROUTE, params, { itemsIn: "jobs", strangers: true });
  const texts: string[] = [];
  for (const job of jobs.slice(0, MOST_LOGS)) {
    const { id, name, conclusion } = toFields(job);
    const log = api.text("/repos/{owner}/{repo}/actions/jobs/{job_id}/logs", {
      ...repoIn(given),
      job_id: id,
    });
    const { lines } = pickLines(await orWithoutLog(log, NO_LOG), { tail: LOG_TAIL });
    texts.push([`== ${toText(name)} (${toText(conclusion)})`, ...lines].join("\n"));
  }
  if (jobs.length > MOST_LOGS) {
    texts.push(`There are more jobs than these ${MOST_LOGS}: get_job_logs reads each by its name.`);
  }
  return toContents(uri, texts.join("\n"));
}

const CONTENTS =
  /^repo:\/\/([^/]+)\/([^/]+)(?:\/(?:refs\/(heads|tags|pull)|sha)\/([^/]+)(?:\/head)?)?\/contents(?:\/(.*))?$/;

function toContentsRequest(uri: string): ApiRequest {
  const [, owner = "", repo = "", kind, at, path = ""] = (CONTENTS.exec(uri) ?? []).map((part) =>
    part === undefined ? undefined : decodeURIComponent(part),
  );
  const ref =
    at === undefined || kind === undefined ? at : `refs/${kind}/${at}${kind === "pull" ? "/head" : ""}`;
  return {
    route: `GET /repos/{owner}/{repo}/contents/${toUrlPath(path)}`,
    params: { ...requireRepo(owner, repo), ref },
  };
}

/** For an issue or pull request, and for its comments. */
function toPostRequests(uri: string): readonly ApiRequest[] {
  const [, owner = "", repo = "", kind = "", number = ""] =
    /^repo:\/\/([^/]+)\/([^/]+)\/(issues|pulls)\/(\d+)$/.exec(uri) ?? [];
  const params = { ...requireRepo(owner, repo), number: requireNumber(number) };
  return [
    { route: `GET /repos/{owner}/{repo}/${kind}/{number}`, params },
    { route: "GET /repos/{owner}/{repo}/issues/{number}/comments", params: { ...params, per_page: 100 } },
  ];
}
