import { isUtf8 } from "node:buffer";

import type { ResourceContents } from "@suite/server-kit";
import { Fault, sniff } from "@suite/server-kit/domain";

import type { RepositoryCall } from "../domain/git/repository-call.ts";
import { readDiff } from "../domain/reading/diff.ts";
import { readFileAt } from "../domain/reading/files.ts";
import { findCommit, readCommit } from "../domain/reading/history.ts";
import { listBranches } from "../domain/reading/refs.ts";
import { readStatus } from "../domain/reading/status.ts";
import type { WatchedKind } from "../domain/watching/repository-watch.ts";

export const JSON_TYPE = "application/json";
export const DIFF_TYPE = "text/x-diff";

/** Marks content of a repository as untrusted, for clients that pass it on to a model. */
const UNTRUSTED = { "dev.suite/untrusted": true };
const MOST_DIFF = 200_000;
const MOST_FILE = 1024 * 1024;

/** The content of a resource that can be subscribed to, as JSON. */
export async function readKind(call: RepositoryCall, kind: WatchedKind): Promise<string> {
  if (kind === "branches") {
    return toJson(await listBranches(call, { branch_type: "all" }));
  }
  const status = await readStatus(call, { untracked: kind === "status" ? "normal" : "no" });
  const { branch, head, ...rest } = status;
  const place = { ...(branch !== undefined && { branch }), ...(head !== undefined && { head }) };
  if (kind === "status") return toJson({ ...place, ...rest });
  const commit = head === undefined ? undefined : await findCommit(call, head);
  if (!commit) return toJson(place);
  // Other refs to the same commit are not part of HEAD.
  const { refs: _, ...facts } = commit;
  return toJson({ ...place, commit: facts });
}

const toJson = (data: unknown): string => JSON.stringify(data, undefined, 2);

export const toText = (uri: string, mimeType: string, text: string, truncated = false): ResourceContents => ({
  uri,
  mimeType,
  text,
  _meta: { ...UNTRUSTED, ...(truncated && { "dev.suite/truncated": true }) },
});

export async function readCommitText(
  call: RepositoryCall,
  uri: string,
  sha: string,
  budget: number = MOST_DIFF,
): Promise<ResourceContents> {
  const found = await findCommit(call, sha);
  const page = await readCommit(call, found, {}, { budget });
  const { commit, author, email, date, parents, subject, body } = found;
  const head = [
    `commit ${commit}`,
    ...(parents.length > 1 ? [`Merge: ${parents.join(" ")}`] : []),
    `Author: ${author} <${email}>`,
    `Date: ${date}`,
    "",
    ...[subject, ...(body === undefined ? [] : ["", ...body.split("\n")])].map((line) => `    ${line}`),
  ];
  return toText(uri, DIFF_TYPE, [...head, "", page.diff, ""].join("\n"), page.next !== undefined);
}

export async function readDiffText(
  call: RepositoryCall,
  uri: string,
  range: string,
  budget: number = MOST_DIFF,
): Promise<ResourceContents> {
  const kind = range === "staged" || range === "unstaged" ? range : { target: range };
  const { diff, next } = await readDiff(call, kind, {}, { budget });
  return toText(uri, DIFF_TYPE, diff === "" ? "" : `${diff}\n`, next !== undefined);
}

export async function readFileContents(
  call: RepositoryCall,
  uri: string,
  { rev, path }: { readonly rev: string; readonly path: string },
): Promise<ResourceContents> {
  const { bytes, size } = await readFileAt(call, { revision: rev, path, most: MOST_FILE });
  if (bytes.length < size) {
    throw new Fault("too_large", `This file has ${size} bytes, more than the ${MOST_FILE} of a resource`, {
      hint: "Read it in parts with git_read_file.",
    });
  }
  const { mimeType, isText } = sniff(bytes, path);
  if (isText && isUtf8(bytes)) return toText(uri, mimeType, bytes.toString());
  return { uri, mimeType, blob: bytes.toString("base64"), _meta: UNTRUSTED };
}
