import type { ToolDefinition } from "@suite/server-kit";
import { Fault } from "@suite/server-kit/domain";
import * as v from "valibot";

import { repoOf } from "../api.ts";
import type { Api } from "../domain/api.ts";
import {
  blobShaOf,
  decodeText,
  type GivenContent,
  isUnsaidBase64,
  toContentBytes,
  toPlainPath,
  toUrlPath,
} from "../domain/contents.ts";
import { UNKNOWN_WHETHER_DONE } from "../domain/gateway/explain.ts";
import type { ApiRequest } from "../domain/gateway/gateway.ts";
import { nameOf, type Repo } from "../domain/gateway/repositories.ts";
import { readPath, toFields, toText } from "../domain/answers/projection.ts";
import type { GithubState } from "../state.ts";
import { DIRECTORY, headOf, readTree, requirePaths, type Tree } from "./branch-state.ts";
import { Encoding, Flag, NonEmpty, type Shape, Text } from "./schemas.ts";
import { defineWrite, type WritePlan } from "./writing.ts";

/** In one commit. */
const MOST_FILES = 300;

const GivenFile = v.strictObject({ path: NonEmpty, content: Text, encoding: Encoding, delete: Flag });

export const pushFiles = (shape: Shape): ToolDefinition<GithubState> =>
  defineWrite({
    name: "push_files",
    version: 3,
    title: "Commit several files",
    description: "Writes or, with delete, removes several files in one commit. All or none.",
    group: "repos",
    affects: "files of a branch",
    effects: "destructive",
    input: {
      ...shape.repo,
      branch: v.string(),
      message: v.string(),
      files: v.pipe(v.array(GivenFile), v.minLength(1), v.maxLength(MOST_FILES)),
    },
    async plan(input, api, context) {
      const { branch, message } = input;
      const repo = repoOf(input, context);
      const given = toPushed(input.files);
      const parent = await headOf(api, repo, branch);
      const { data } = await api.get("/repos/{owner}/{repo}/git/commits/{commit_sha}", {
        ...repo,
        commit_sha: parent,
      });
      const base_tree = toText(readPath(data, "tree.sha"));
      const paths = given.map(({ path }) => path);
      const known = await readTree(api, repo, base_tree, paths);
      const files = await Promise.all(given.map((each) => toBytes(api, repo, each, known)));
      const gone = files.filter(({ content }) => content === undefined).map(({ path }) => path);
      requirePaths(known, gone);
      for (const path of paths) requirePlace(path, known, gone);
      const different = files.filter((each) => !isThere(each, known));
      const request = {
        route: "POST /repos/{owner}/{repo}/git/trees",
        params: { ...repo, base_tree, tree: different.map((each) => toTreeEntry(each, known)) },
      };
      const plan: WritePlan = {
        // All share one branch, so it is named only once.
        changed: different.map(
          ({ path, content }, at) =>
            `${path}${at === 0 ? ` on ${branch} of ${nameOf(repo)}` : ""}, ${toFate(content, known.has(path))}`,
        ),
        request,
        spec: ["commit=sha"],
        run: async (on) => {
          for (const { content } of different)
            if (content !== undefined && decodeText(content) === undefined)
              await sendHidden(on, branch, {
                route: "POST /repos/{owner}/{repo}/git/blobs",
                params: { ...repo, content: content.toString("base64"), encoding: "base64" },
              });
          return commitTree(on, repo, request, { branch, message, parent });
        },
      };
      return different.length === 0 ? { ...plan, same: { commit: parent } } : plan;
    },
  });

function toFate(content: Buffer | undefined, isKnown: boolean): string {
  if (content === undefined) return "deleted";
  return isKnown ? "changed" : "created";
}

interface GivenPush {
  readonly path: string;
  readonly given: GivenContent | undefined;
}

/** Only content that may have been read as base64 needs a look at what it replaces. */
async function toBytes(api: Api, repo: Repo, { path, given }: GivenPush, known: Tree): Promise<PushedFile> {
  if (given === undefined) return { path, content: undefined };
  const file_sha = isUnsaidBase64(given) ? known.get(path)?.sha : undefined;
  const isFile = NO_FILES[known.get(path)?.mode ?? ""] === undefined;
  const now =
    file_sha !== undefined && isFile
      ? await api.get("/repos/{owner}/{repo}/git/blobs/{file_sha}", { ...repo, file_sha }, { isUnread: true })
      : undefined;
  const bytes = now && Buffer.from(toText(toFields(now.data)["content"]), "base64");
  return { path, content: toContentBytes(given, path, bytes) };
}

interface PushedFile {
  readonly path: string;
  /** Undefined for a deletion. */
  readonly content: Buffer | undefined;
}

/** Refuses invalid files before anything is sent. */
function toPushed(given: readonly v.InferOutput<typeof GivenFile>[]): readonly GivenPush[] {
  const files = given.map(({ path, content, encoding, delete: isDelete }) => {
    if ((content === undefined) !== (isDelete === true)) {
      throw new Fault("invalid_input", `${path} needs either content or delete: true.`);
    }
    return { path: toPlainPath(path), given: content === undefined ? undefined : { content, encoding } };
  });
  const paths = files.map(({ path }) => path);
  const twice = paths.find((path, at) => paths.indexOf(path) !== at);
  if (twice !== undefined) throw new Fault("invalid_input", `${twice} is listed twice.`);
  return files;
}

/** GitHub would replace a directory or a link by a file, or a file by a directory, and lose what was there. */
function requirePlace(path: string, files: Tree, gone: readonly string[]): void {
  const what = NO_FILES[files.get(path)?.mode ?? ""];
  if (what !== undefined && !(what === LINK && gone.includes(path)))
    throw new Fault("invalid_input", `${path} is a ${what}, and not a file. Nothing was changed.`);
  const parts = path.split("/");
  const above = parts.slice(1).map((_, at) => parts.slice(0, at + 1).join("/"));
  const file = above.find((each) => files.has(each) && files.get(each)?.mode !== DIRECTORY);
  if (file === undefined || gone.includes(file)) return;
  throw new Fault(
    "invalid_input",
    `${file} is not a directory: ${path} cannot be in it. Nothing was changed.`,
  );
}

const LINK = "symbolic link";
const NO_FILES: { readonly [mode: string]: string } = {
  [DIRECTORY]: "directory",
  "120000": LINK,
  "160000": "submodule",
};
const PLAIN = "100644";
const EXECUTABLE = "100755";

const isThere = ({ path, content }: PushedFile, files: Tree): boolean =>
  content !== undefined && files.get(path)?.sha === blobShaOf(content);

function toTreeEntry({ path, content }: PushedFile, files: Tree): object {
  return {
    path,
    // An executable file stays executable.
    mode: files.get(path)?.mode === EXECUTABLE ? EXECUTABLE : PLAIN,
    type: "blob",
    ...toTreeContent(content),
  };
}

/** A tree takes only text itself: everything else is sent before it, as blobs. */
function toTreeContent(content: Buffer | undefined): { content: string } | { sha: string | null } {
  if (content === undefined) return { sha: null };
  const text = decodeText(content);
  return text === undefined ? { sha: blobShaOf(content) } : { content: text };
}

interface CommitPlan {
  readonly branch: string;
  readonly message: string;
  readonly parent: string;
}

/** Whether it was done does not matter before the branch moves: nobody sees it, and it can be sent again. */
async function sendHidden(api: Api, branch: string, request: ApiRequest): Promise<unknown> {
  try {
    return await api.send(request);
  } catch (thrown) {
    if (!(thrown instanceof Fault) || thrown.hint !== UNKNOWN_WHETHER_DONE) throw thrown;
    const message = `${thrown.message} ${branch} has not moved: nothing was changed.`;
    throw new Fault(thrown.code, message, { hint: "Try again in a moment.", cause: thrown });
  }
}

/** The tree and commit stay invisible until the branch moves, which it does only if nobody moved it meanwhile. */
async function commitTree(api: Api, repo: Repo, request: ApiRequest, plan: CommitPlan): Promise<unknown> {
  const { branch, message, parent } = plan;
  const tree = toText(toFields(await sendHidden(api, branch, request))["sha"]);
  const commit = await sendHidden(api, branch, {
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
