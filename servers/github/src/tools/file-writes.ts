import type { ToolDefinition } from "@suite/server-kit";
import { diffTexts, Fault } from "@suite/server-kit/domain";
import * as v from "valibot";

import { repoOf } from "../api.ts";
import type { Api } from "../domain/api.ts";
import { decodeText, type RemoteFile, toContentBytes, toUrlPath } from "../domain/contents.ts";
import { applyEdits } from "../domain/edit-text.ts";
import type { ApiRequest } from "../domain/gateway/gateway.ts";
import { nameOf, type Repo } from "../domain/gateway/repositories.ts";
import { toFields, toText } from "../domain/answers/projection.ts";
import type { GithubState } from "../state.ts";
import { findBranch, findFile, headOf, requireFile } from "./branch-state.ts";
import { readContents } from "./contents.ts";
import { pushFiles } from "./push-files.ts";
import { Encoding, NonEmpty, type Shape, Text } from "./schemas.ts";
import { defineWrite, type WritePlan } from "./writing.ts";

const COMMITTED = ["sha=content.sha", "commit=commit.sha", "url=content.html_url"];
const file = { path: NonEmpty, branch: v.string(), message: v.string() };

export const createFileWrites = (shape: Shape): readonly ToolDefinition<GithubState>[] => [
  createBranch(shape),
  defineWrite({
    name: "create_or_update_file",
    version: 4,
    hasDiff: true,
    alsoKnownAs: ["create_file", "write_file"],
    title: "Write a file",
    description: "Commits a whole file. sha: of the file now, required if it exists.",
    group: "repos",
    affects: "files of a branch",
    effects: "destructive",
    input: { ...shape.repo, ...file, content: v.string(), encoding: Encoding, sha: Text },
    async plan(input, api, context) {
      const { path, branch, message, sha } = input;
      const repo = repoOf(input, context);
      const now = await findFile(api, repo, path, branch);
      const content = toContentBytes(input, path, now?.bytes);
      if (now !== undefined && now.sha !== sha && !now.bytes.equals(content))
        throw toUnexpected(path, branch, now.sha, sha === undefined ? "already exists" : undefined);
      return planFile(repo, { path, branch, message, sha }, content, now);
    },
  }),
  editFile(shape),
  pushFiles(shape),
  deleteFile(shape),
];

interface FileChange {
  readonly path: string;
  readonly branch: string;
  readonly message: string;
  readonly sha?: string | undefined;
}

function planFile(
  repo: Repo,
  { path, branch, message, sha }: FileChange,
  content: Buffer,
  now: RemoteFile | undefined,
): WritePlan {
  const place = `${path} on ${branch} of ${nameOf(repo)}`;
  if (now?.linkTo !== undefined)
    throw new Fault("invalid_input", `${place} is a symbolic link. Nothing was changed.`, {
      hint: "Write to the file that it points to (get_file_contents shows it), or delete the link first.",
      details: { link_to: now.linkTo },
    });
  const [before, after] = [now === undefined ? "" : decodeText(now.bytes), decodeText(content)];
  const request = {
    route: `PUT /repos/{owner}/{repo}/contents/${toUrlPath(path)}`,
    params: { ...repo, branch, message, sha, content: content.toString("base64") },
  };
  // GitHub would make an empty commit.
  if (now?.bytes.equals(content)) return { changed: [], request, same: { sha: now.sha } };
  const names = { oldName: now === undefined ? "/dev/null" : `a/${path}`, newName: `b/${path}` };
  const isText = before !== undefined && after !== undefined;
  const diff = isText ? diffTexts(before, after, names).text : undefined;
  return {
    changed: [`${place}, ${now === undefined ? "created" : "changed"}`],
    request,
    ...(diff !== undefined && { diff }),
    spec: COMMITTED,
    run: (api) => sendWithSha(api, request, repo, { path, branch, sha }),
  };
}

/** For a wrong and for a missing sha, but also for branch rules and invalid arguments. */
const SHA_REFUSALS = new Set<unknown>([409, 422]);

/** If the sha was wrong, the error has the right one. */
async function sendWithSha(
  api: Api,
  request: ApiRequest,
  repo: Repo,
  { path, branch, sha }: Omit<FileChange, "message">,
): Promise<unknown> {
  try {
    return await api.send(request);
  } catch (thrown) {
    if (!(thrown instanceof Fault) || !SHA_REFUSALS.has(thrown.details?.["status"])) throw thrown;
    const now = await readContents(api, repo, path, branch).catch(() => undefined);
    if (now === undefined || !("sha" in now) || now.sha === sha) throw thrown;
    throw toUnexpected(path, branch, now.sha, undefined, thrown);
  }
}

const toUnexpected = (
  path: string,
  branch: string,
  sha: string,
  how = "has changed",
  cause?: unknown,
): Fault =>
  new Fault("conflict", `${path} on ${branch} ${how}: its sha is ${sha}. Nothing was changed.`, {
    hint: "Read it, and pass this sha if it may be replaced.",
    details: { sha },
    cause,
  });

const editFile = (shape: Shape): ToolDefinition<GithubState> =>
  defineWrite({
    name: "edit_file",
    version: 3,
    hasDiff: true,
    alsoKnownAs: ["update_file"],
    title: "Edit a file",
    description:
      "Replaces exact text in a file and commits it. Each old_text must occur exactly once. sha: fail if the file has changed.",
    group: "repos",
    affects: "files of a branch",
    effects: "destructive",
    input: {
      ...shape.repo,
      ...file,
      edits: v.pipe(v.array(v.strictObject({ old_text: v.string(), new_text: v.string() })), v.minLength(1)),
      sha: Text,
    },
    aliases: {
      "edits[].old_text": ["oldText", "old_string"],
      "edits[].new_text": ["newText", "new_string"],
    },
    argumentHints: { old_text: "put it into edits.", new_text: "put it into edits." },
    async plan(input, api, context) {
      const { path, branch, message, edits, sha } = input;
      const repo = repoOf(input, context);
      const now = await requireFile(api, repo, path, branch, sha);
      const text = decodeText(now.bytes);
      if (text === undefined) throw new Fault("unsupported", `${path} is not text.`);
      const edited = applyEdits(text, edits, path);
      return planFile(repo, { path, branch, message, sha: now.sha }, Buffer.from(edited), now);
    },
  });

const deleteFile = (shape: Shape): ToolDefinition<GithubState> =>
  defineWrite({
    name: "delete_file",
    version: 2,
    title: "Delete a file",
    description: "Deletes a file with a commit.",
    group: "repos",
    affects: "files of a branch",
    effects: "destructive",
    input: { ...shape.repo, ...file, sha: Text },
    async plan(input, api, context) {
      const { path, branch, message, sha } = input;
      const repo = repoOf(input, context);
      const now = await requireFile(api, repo, path, branch, sha);
      const request = {
        route: `DELETE /repos/{owner}/{repo}/contents/${toUrlPath(path)}`,
        params: { ...repo, branch, message, sha: now.sha },
      };
      return {
        changed: [`${path} on ${branch} of ${nameOf(repo)}, deleted`],
        request,
        spec: ["commit=commit.sha", "url=commit.html_url"],
        run: (on) => sendWithSha(on, request, repo, { path, branch, sha: now.sha }),
      };
    },
  });

const createBranch = (shape: Shape): ToolDefinition<GithubState> =>
  defineWrite({
    name: "create_branch",
    version: 2,
    title: "Create a branch",
    description: "Creates a branch from another one, or from the default branch.",
    group: "repos",
    affects: "branches",
    input: { ...shape.repo, branch: NonEmpty, from_branch: Text },
    aliases: { branch: ["branch_name", "name"], from_branch: ["base", "from"] },
    async plan(input, api, context) {
      const { branch, from_branch: from } = input;
      const repo = repoOf(input, context);
      const source =
        from ??
        toText(toFields((await api.get("/repos/{owner}/{repo}", { ...repo })).data)["default_branch"]);
      const sha = await headOf(api, repo, source);
      const existing = await findBranch(api, repo, branch);
      if (existing !== undefined) {
        throw new Fault(
          "conflict",
          `${nameOf(repo)} has a branch ${branch} already, at ${existing.slice(0, 7)}.`,
          {
            hint: "Use it as it is, or choose another name.",
            details: { sha: existing },
          },
        );
      }
      return {
        changed: [`The branch ${branch} of ${nameOf(repo)}, created at ${sha.slice(0, 7)} of ${source}`],
        request: {
          route: "POST /repos/{owner}/{repo}/git/refs",
          params: { ...repo, ref: `refs/heads/${branch}`, sha },
        },
        spec: ["ref", "sha=object.sha"],
      };
    },
  });
