import type { ResourceContents, ResourceTemplateDefinition } from "@suite/server-kit";
import { Fault, sniff } from "@suite/server-kit/domain";

import { apiOf } from "../api.ts";
import { defineResourceTemplate } from "../define.ts";
import { decodeText, toUrlPath } from "../domain/contents.ts";
import type { ApiRequest } from "../domain/gateway/gateway.ts";
import { type Repo, requireRepo } from "../domain/gateway/repositories.ts";
import { type Fields, project, renderItem, toFields, toText } from "../domain/answers/projection.ts";
import { pickLines } from "../domain/answers/log-lines.ts";
import type { GithubContext, GithubState } from "../state.ts";
import { JOBS_ROUTE, NO_LOG, orWithoutLog, requireTrustedRun } from "../tools/actions.ts";
import { MOST_ENTRIES, NOT_ALL_ENTRIES, readContents, requireContent } from "../tools/contents.ts";
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

const ofRepo = { owner: completeOwner, repo: completeRepo };

/** The ways to name the ref whose contents are read. */
const VARIANTS = [
  { name: "contents", at: "", title: "File or directory", complete: {} },
  {
    name: "branch contents",
    at: "/refs/heads/{branch}",
    title: "File on a branch",
    complete: { branch: completeBranch },
  },
  { name: "commit contents", at: "/sha/{sha}", title: "File at a commit", complete: { sha: completeSha } },
  { name: "tag contents", at: "/refs/tags/{tag}", title: "File at a tag", complete: { tag: completeTag } },
  {
    name: "pull request contents",
    at: "/refs/pull/{number}/head",
    title: "File of a pull request",
    complete: { number: completePull },
  },
];

const POSTS = [
  { kind: "issues", name: "issue", title: "An issue with its comments", complete: completeIssue },
  { kind: "pulls", name: "pull request", title: "A pull request with its comments", complete: completePull },
];

export const templates: readonly ResourceTemplateDefinition<GithubState>[] = [
  ...VARIANTS.map(({ at, complete, ...facts }) =>
    defineResourceTemplate<string>({
      ...facts,
      uriTemplate: `repo://{owner}/{repo}${at}/contents{/path*}`,
      description: "A file as text or bytes, or the names in a directory",
      read: (_, context, uri) => readAt(uri, context),
      complete: { ...ofRepo, path: completePath, ...complete },
      subscribe: (uri, changed, { poller }) => poller.watch([toContentsRequest(uri)], changed),
    }),
  ),
  ...POSTS.map(({ kind, complete, ...facts }) =>
    defineResourceTemplate<string>({
      ...facts,
      uriTemplate: `repo://{owner}/{repo}/${kind}/{number}`,
      mimeType: "text/plain",
      read: (_, context, uri) => readPost(uri, context),
      complete: { ...ofRepo, number: complete },
      subscribe: (uri, changed, { poller }) => poller.watch(toPostRequests(uri), changed),
    }),
  ),
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

const toContents = (uri: string, text: string): ResourceContents => {
  if (text.length <= LARGEST_TEXT) return { uri, mimeType: "text/plain", text, _meta: UNTRUSTED };
  throw new Fault("too_large", `This has ${text.length} characters.`, {
    hint: "The tools of this server read it in parts.",
  });
};

async function readAt(uri: string, context: GithubContext): Promise<ResourceContents> {
  const { repo, path, ref } = locateContents(uri);
  const found = await readContents(apiOf(context), repo, path, ref);
  if ("sha" in found) requireContent(found);
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

async function readPost(uri: string, context: GithubContext): Promise<ResourceContents> {
  const api = apiOf(context);
  const { kind, params } = locatePost(uri);
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
  const repo = requireRepo(given.owner, given.repo);
  const run_id = requireNumber(given.run_id);
  await requireTrustedRun(api, repo, run_id);
  const { items: jobs } = await api.all(
    JOBS_ROUTE,
    { ...repo, run_id },
    { itemsIn: "jobs", strangers: true },
  );
  const texts: string[] = [];
  for (const job of jobs.slice(0, MOST_LOGS)) {
    const { id, name, conclusion } = toFields(job);
    const log = api.text("/repos/{owner}/{repo}/actions/jobs/{job_id}/logs", { ...repo, job_id: id });
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
const POST = /^repo:\/\/([^/]+)\/([^/]+)\/(issues|pulls)\/([^/]+)$/;

const partsOf = (uri: string, pattern: RegExp): readonly (string | undefined)[] =>
  (pattern.exec(uri) ?? []).map((part) => (part === undefined ? undefined : decodeURIComponent(part)));

function locateContents(uri: string): { repo: Repo; path: string; ref: string | undefined } {
  const [, owner = "", repo = "", kind, at, path = ""] = partsOf(uri, CONTENTS);
  const ref =
    at === undefined || kind === undefined ? at : `refs/${kind}/${at}${kind === "pull" ? "/head" : ""}`;
  return { repo: requireRepo(owner, repo), path, ref };
}

function toContentsRequest(uri: string): ApiRequest {
  const { repo, path, ref } = locateContents(uri);
  return { route: `GET /repos/{owner}/{repo}/contents/${toUrlPath(path)}`, params: { ...repo, ref } };
}

function locatePost(uri: string): { kind: string; params: Fields } {
  const [, owner = "", repo = "", kind = "", number = ""] = partsOf(uri, POST);
  return { kind, params: { ...requireRepo(owner, repo), number: requireNumber(number) } };
}

/** For an issue or pull request, and for its comments. */
function toPostRequests(uri: string): readonly ApiRequest[] {
  const { kind, params } = locatePost(uri);
  return [
    { route: `GET /repos/{owner}/{repo}/${kind}/{number}`, params },
    { route: "GET /repos/{owner}/{repo}/issues/{number}/comments", params: { ...params, per_page: 100 } },
  ];
}
