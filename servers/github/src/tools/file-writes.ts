import type { ToolDefinition } from "@suite/server-kit";
import { diffTexts, Fault } from "@suite/server-kit/domain";
import * as v from "valibot";

import { type Api, repoOf } from "../api.ts";
import { blobShaOf, decodeText, type RemoteFile, toPlainPath, toUrlPath } from "../domain/contents.ts";
import { applyEdits } from "../domain/edit-text.ts";
import type { Request } from "../domain/gateway/gateway.ts";
import { nameOf, type Repo } from "../domain/gateway/repositories.ts";
import { readPath, toFields, toText } from "../domain/projection.ts";
import type { GithubState } from "../state.ts";
import {
  findBranch,
  findFile,
  headOf,
  readTree,
  requireFile,
  requirePaths,
  type Tree,
} from "./branch-state.ts";
import { readContents } from "./contents.ts";
import { type Shape, Text } from "./schemas.ts";
import { defineWrite, type Plan } from "./writing.ts";

const COMMITTED = ["sha=content.sha", "commit=commit.sha", "url=content.html_url"];
const Path = v.pipe(v.string(), v.minLength(1));
const file = { path: Path, branch: v.string(), message: v.string() };
/** The biggest that one commit of `push_files` may have. */
const MOST_FILES = 300;

export const createFileWrites = (shape: Shape): readonly ToolDefinition<GithubState>[] => [
  createBranch(shape),
  defineWrite({
    name: "create_or_update_file",
    version: 2,
    hasDiff: true,
    formerly: ["create_file", "write_file"],
    title: "Write a file",
    description: "Commits a whole file. sha: the current one, required if the file exists.",
    group: "repos",
    touches: "files of a branch",
    effects: "destructive",
    input: { ...shape.repo, ...file, content: v.string(), sha: Text },
    async plan(input, api, context) {
      const { path, branch, message, content, sha } = input;
      const repo = repoOf(input, context);
      const now = await findFile(api, repo, path, branch);
      if (now !== undefined && now.sha !== sha && !now.bytes.equals(Buffer.from(content)))
        throw toUnexpected(path, branch, now.sha);
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
  content: string,
  now: RemoteFile | undefined,
): Plan {
  const place = `${path} on ${branch} of ${nameOf(repo)}`;
  const before = now === undefined ? "" : decodeText(now.bytes);
  const request = {
    route: `PUT /repos/{owner}/{repo}/contents/${toUrlPath(path)}`,
    params: { ...repo, branch, message, sha, content: Buffer.from(content).toString("base64") },
  };
  // GitHub would make a commit of it all the same.
  if (before === content && now !== undefined) return { changed: [], request, same: { sha: now.sha } };
  const names = { oldName: now === undefined ? "/dev/null" : `a/${path}`, newName: `b/${path}` };
  const diff = before === undefined ? undefined : diffTexts(before, content, names).text;
  return {
    changed: [`${place}, ${now === undefined ? "created" : "changed"}`],
    request,
    ...(diff !== undefined && { diff }),
    spec: COMMITTED,
    run: (api) => sendWithSha(api, request, repo, { path, branch }),
  };
}

/** Where the sha does not fit, the one that does is named. */
async function sendWithSha(
  api: Api,
  request: Request,
  repo: Repo,
  { path, branch }: Pick<FileChange, "path" | "branch">,
): Promise<unknown> {
  try {
    return await api.send(request);
  } catch (thrown) {
    const isAboutSha = thrown instanceof Fault && (thrown.code === "conflict" || /sha/i.test(thrown.message));
    if (!isAboutSha) throw thrown;
    const now = await readContents(api, repo, path, branch).catch(() => undefined);
    if (now === undefined || !("sha" in now)) throw thrown;
    throw toUnexpected(path, branch, now.sha, thrown);
  }
}

const toUnexpected = (path: string, branch: string, sha: string, cause?: unknown): Fault =>
  new Fault(
    "conflict",
    `${path} on ${branch} is not what was expected: its sha is ${sha}. Nothing was changed.`,
    { hint: "Read it again, and pass this sha if it may be replaced.", details: { sha }, cause },
  );

const editFile = (shape: Shape): ToolDefinition<GithubState> =>
  defineWrite({
    name: "edit_file",
    version: 2,
    hasDiff: true,
    formerly: ["update_file"],
    title: "Edit a file",
    description:
      "Replaces exact text in a file and commits it. Each old_text must occur exactly once. sha: fail if the file has changed.",
    group: "repos",
    touches: "files of a branch",
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
    instead: { old_text: "put it into edits.", new_text: "put it into edits." },
    async plan(input, api, context) {
      const { path, branch, message, edits, sha } = input;
      const repo = repoOf(input, context);
      const now = await requireFile(api, repo, path, branch, sha);
      const text = decodeText(now.bytes);
      if (text === undefined) throw new Fault("unsupported", `${path} is not text.`);
      const edited = applyEdits(text, edits, path);
      return planFile(repo, { path, branch, message, sha: now.sha }, edited, now);
    },
  });

const deleteFile = (shape: Shape): ToolDefinition<GithubState> =>
  defineWrite({
    name: "delete_file",
    title: "Delete a file",
    description: "Deletes a file with a commit.",
    group: "repos",
    touches: "files of a branch",
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
        run: (on) => sendWithSha(on, request, repo, { path, branch }),
      };
    },
  });

const createBranch = (shape: Shape): ToolDefinition<GithubState> =>
  defineWrite({
    name: "create_branch",
    title: "Create a branch",
    description: "Creates a branch from another one, or from the default branch.",
    group: "repos",
    touches: "branches",
    input: { ...shape.repo, branch: Path, from_branch: Text },
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

const pushFiles = (shape: Shape): ToolDefinition<GithubState> =>
  defineWrite({
    name: "push_files",
    title: "Commit several files",
    description: "Writes or, with delete, removes several files in one commit. All or none.",
    group: "repos",
    touches: "files of a branch",
    effects: "destructive",
    input: {
      ...shape.repo,
      branch: v.string(),
      message: v.string(),
      files: v.pipe(
        v.array(v.strictObject({ path: Path, content: Text, delete: v.optional(v.boolean()) })),
        v.minLength(1),
        v.maxLength(MOST_FILES),
      ),
    },
    async plan(input, api, context) {
      const { branch, message } = input;
      const repo = repoOf(input, context);
      const files = toPushed(input.files);
      const parent = await headOf(api, repo, branch);
      const { data } = await api.get("/repos/{owner}/{repo}/git/commits/{commit_sha}", {
        ...repo,
        commit_sha: parent,
      });
      const base_tree = toText(readPath(data, "tree.sha"));
      const known = await readTree(api, repo, base_tree);
      const gone = files.filter(({ content }) => content === undefined).map(({ path }) => path);
      requirePaths(known, gone);
      const different = files.filter((each) => !isThere(each, known));
      const request = {
        route: "POST /repos/{owner}/{repo}/git/trees",
        params: { ...repo, base_tree, tree: different.map((each) => toTreeEntry(each, known)) },
      };
      const plan: Plan = {
        // They share one place: said once, it does not drown the paths.
        changed: different.map(
          ({ path, content }, at) =>
            `${path}${at === 0 ? ` on ${branch} of ${nameOf(repo)}` : ""}, ${toFate(content, known.files.has(path))}`,
        ),
        request,
        spec: ["commit=sha"],
        run: (on) => commitTree(on, repo, request, { branch, message, parent, base_tree }),
      };
      return different.length === 0 ? { ...plan, same: { commit: parent } } : plan;
    },
  });

function toFate(content: string | undefined, isKnown: boolean): string {
  if (content === undefined) return "deleted";
  return isKnown ? "changed" : "created";
}

interface PushedFile {
  readonly path: string;
  /** None of what is deleted. */
  readonly content: string | undefined;
}

interface GivenFile {
  readonly path: string;
  readonly content?: string | undefined;
  readonly delete?: boolean | undefined;
}

/** What a tree may not have is refused before anything is made. */
function toPushed(given: readonly GivenFile[]): readonly PushedFile[] {
  const files = given.map(({ path, content, delete: isDelete }) => {
    if ((content === undefined) !== (isDelete === true)) {
      throw new Fault("invalid_input", `${path} needs either content or delete: true.`);
    }
    return { path: toPlainPath(path), content };
  });
  const paths = files.map(({ path }) => path);
  const twice = paths.find((path, at) => paths.indexOf(path) !== at);
  if (twice !== undefined) throw new Fault("invalid_input", `${twice} is there twice: which one is meant?`);
  return files;
}

const PLAIN = "100644";
const EXECUTABLE = "100755";

/** What can be run stays so. */
const modeOf = (path: string, { files }: Tree): string =>
  files.get(path)?.mode === EXECUTABLE ? EXECUTABLE : PLAIN;

/** A link whose target reads like the content is not the file. */
function isThere({ path, content }: PushedFile, tree: Tree): boolean {
  const now = tree.files.get(path);
  return content !== undefined && now?.sha === blobShaOf(content) && now.mode === modeOf(path, tree);
}

function toTreeEntry({ path, content }: PushedFile, tree: Tree): object {
  return {
    path,
    mode: modeOf(path, tree),
    type: "blob",
    ...(content === undefined ? { sha: null } : { content }),
  };
}

interface CommitPlan {
  readonly branch: string;
  readonly message: string;
  readonly parent: string;
  readonly base_tree: string;
}

/** Nobody sees tree and commit before the branch moves, and it moves only if it is still where it was. */
async function commitTree(api: Api, repo: Repo, request: Request, plan: CommitPlan): Promise<unknown> {
  const { branch, message, parent, base_tree } = plan;
  const tree = toText(toFields(await api.send(request))["sha"]);
  // Of a very large repository, this is how it shows.
  if (tree === base_tree) {
    throw new Fault("conflict", `${branch} has all of this already, at ${parent}. Nothing was changed.`, {
      details: { sha: parent },
    });
  }
  const commit = await api.send({
    route: "POST /repos/{owner}/{repo}/git/commits",
    params: { ...repo, message, tree, parents: [parent] },
  });
  const sha = toText(toFields(commit)["sha"]);
  try {
    await api.send({
      route: `PATCH /repos/{owner}/{repo}/git/refs/heads/${toUrlPath(branch)}`,
      params: { ...repo, sha, force: false },
    });
  } catch (thrown) {
    if (!(thrown instanceof Fault) || (thrown.code !== "invalid_input" && thrown.code !== "conflict"))
      throw thrown;
    const now = await headOf(api, repo, branch);
    if (now === parent) throw thrown;
    throw new Fault("conflict", `${branch} has moved to ${now} meanwhile. Nothing was changed.`, {
      hint: "Look at what changed, and push again.",
      details: { sha: now },
      cause: thrown,
    });
  }
  return commit;
}
