import { dirname } from "node:path/posix";

import { Fault, suggest, toVisibleLine } from "@suite/server-kit/domain";

import type { Api } from "../domain/api.ts";
import { type RemoteFile, toPlainPath, toUrlPath } from "../domain/contents.ts";
import { EMPTY, isMissing } from "../domain/gateway/explain.ts";
import { nameOf, type Repo } from "../domain/gateway/repositories.ts";
import { type Fields, readPath, toFields, toList, toText } from "../domain/answers/projection.ts";
import { readContents } from "./contents.ts";

/** Undefined if there is no such file. Throws if the branch is missing, except in an empty repository, where the first file creates it. */
export async function findFile(
  api: Api,
  repo: Repo,
  path: string,
  branch: string,
): Promise<RemoteFile | undefined> {
  return readFile(api, repo, path, branch)
    .catch(async (thrown: unknown) => {
      if (!isMissing(thrown)) throw thrown;
      await headOf(api, repo, branch);
      return undefined;
    })
    .catch((thrown: unknown) => {
      if (thrown instanceof Fault && EMPTY.test(thrown.message)) return undefined;
      throw thrown;
    });
}

export async function requireFile(
  api: Api,
  repo: Repo,
  path: string,
  branch: string,
  sha: string | undefined,
): Promise<RemoteFile> {
  const found = await readFile(api, repo, path, branch).catch((thrown: unknown) =>
    explainMissing(api, repo, { path, branch }, thrown),
  );
  if (sha === undefined || sha === found.sha) return found;
  throw new Fault(
    "conflict",
    `${path} on ${branch} has changed: its sha is ${found.sha}, and not ${sha}. Nothing was changed.`,
    {
      hint: "Read it again, and redo the change.",
      details: { sha: found.sha },
    },
  );
}

async function readFile(api: Api, repo: Repo, path: string, branch: string): Promise<RemoteFile> {
  const found = await readContents(api, repo, path, branch);
  if ("sha" in found) return found;
  throw new Fault("invalid_input", `${path} is a directory.`);
}

/** GitHub gives the same answer for a missing file and a missing branch. */
async function explainMissing(
  api: Api,
  repo: Repo,
  { path, branch }: { readonly path: string; readonly branch: string },
  thrown: unknown,
): Promise<never> {
  if (!isMissing(thrown)) throw thrown;
  const files = await readTree(api, repo, await headOf(api, repo, branch));
  const near = suggest(path, [...files.keys()]);
  throw new Fault("not_found", `There is no ${path} on ${branch} of ${nameOf(repo)}.`, {
    hint:
      near === undefined
        ? "get_file_contents with the path of a directory lists what there is."
        : `Did you mean ${toVisibleLine(near)}?`,
  });
}

export async function headOf(api: Api, repo: Repo, branch: string): Promise<string> {
  try {
    const { data } = await api.get(`/repos/{owner}/{repo}/git/ref/heads/${toUrlPath(branch)}`, { ...repo });
    return toText(readPath(data, "object.sha"));
  } catch (thrown) {
    if (!isMissing(thrown)) throw thrown;
    throw new Fault(
      "not_found",
      `There is no branch ${branch} in ${nameOf(repo)} that this server can see.`,
      {
        hint: "list_branches has their names; create_branch makes one.",
        cause: thrown,
      },
    );
  }
}

/** The head of the branch, if it exists. */
export async function findBranch(api: Api, repo: Repo, branch: string): Promise<string | undefined> {
  const route = `/repos/{owner}/{repo}/git/matching-refs/heads/${toUrlPath(branch)}`;
  const { data } = await api.get(route, { ...repo });
  const found = toList(data).find((ref) => toFields(ref)["ref"] === `refs/heads/${branch}`);
  return found === undefined ? undefined : toText(readPath(found, "object.sha"));
}

/** GitHub would refuse the whole commit for one missing path without naming it. */
export function requirePaths(files: Tree, paths: readonly string[]): void {
  const missing = paths.filter((path) => !files.has(path));
  if (missing.length === 0) return;
  throw new Fault(
    "not_found",
    `These files to delete do not exist: ${missing.join(", ")}. Nothing was changed.`,
    {
      hint: "Leave these out, or correct their paths.",
    },
  );
}

/** By path, including directories and submodules. Incomplete for very large repositories. */
export type Tree = ReadonlyMap<string, TreeEntry>;

interface TreeEntry {
  readonly sha: string;
  readonly mode: string;
}

export const DIRECTORY = "040000";

/** Always has the entries at these paths and their parent directories, however large the repository is. */
export async function readTree(
  api: Api,
  repo: Repo,
  tree_sha: string,
  paths: readonly string[] = [],
): Promise<Tree> {
  const { entries, isWhole } = await listTree(api, { ...repo, tree_sha, recursive: "1" });
  const files = new Map(entries);
  if (!isWhole) await addPaths(api, repo, tree_sha, paths, files);
  return files;
}

/** Adds the entries at these paths and next to them, directory by directory. */
async function addPaths(
  api: Api,
  repo: Repo,
  tree_sha: string,
  paths: readonly string[],
  files: Map<string, TreeEntry>,
): Promise<void> {
  const listed = new Set<string>();
  for (const path of paths) {
    let folder = "";
    for (const name of path.split("/")) {
      const place = folder === "" ? name : `${folder}/${name}`;
      if (!files.has(place) && !listed.has(folder)) {
        listed.add(folder);
        const within = await listTree(api, { ...repo, tree_sha: files.get(folder)?.sha ?? tree_sha });
        for (const [each, entry] of within.entries)
          files.set(folder === "" ? each : `${folder}/${each}`, entry);
      }
      if (files.get(place)?.mode !== DIRECTORY) break;
      folder = place;
    }
  }
}

/** The part of a tree that starts with a path, if that leads into a directory: the list of the whole tree may lack it. */
export async function readSubtree(
  api: Api,
  repo: Repo,
  tree_sha: string,
  { prefix, recursive }: { readonly prefix: string; readonly recursive: boolean },
): Promise<Fields | undefined> {
  const path = toPlainPath(prefix);
  const files = new Map<string, TreeEntry>();
  await addPaths(api, repo, tree_sha, [path], files);
  // Without recursive, src is itself listed, and src/ what is in it.
  const places = recursive || prefix.endsWith("/") ? [path, dirname(path)] : [dirname(path)];
  const folder = places.find((each) => files.get(each)?.mode === DIRECTORY);
  if (folder === undefined) return undefined;
  const params = { ...repo, tree_sha: files.get(folder)?.sha, ...(recursive && { recursive: "1" }) };
  const { tree, truncated } = toFields((await api.get(TREE_ROUTE, params)).data);
  const within = toList(tree).map(toFields);
  const others = folder === path ? [...files.keys()].filter((each) => each !== path) : [];
  return {
    tree: within.map((entry) => ({ ...entry, path: `${folder}/${toText(entry["path"])}` })),
    // For src, there may also be src2.
    truncated: truncated === true || others.some((each) => each.startsWith(prefix)),
  };
}

export const TREE_ROUTE = "/repos/{owner}/{repo}/git/trees/{tree_sha}";

async function listTree(
  api: Api,
  params: Fields,
): Promise<{ readonly entries: readonly (readonly [string, TreeEntry])[]; readonly isWhole: boolean }> {
  const { data } = await api.get(TREE_ROUTE, params);
  const { tree, truncated } = toFields(data);
  return {
    entries: toList(tree)
      .map(toFields)
      .map(({ path, sha, mode }) => [toText(path), { sha: toText(sha), mode: toText(mode) }]),
    isWhole: truncated !== true,
  };
}
