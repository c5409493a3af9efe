import { randomBytes } from "node:crypto";

import { shownSize } from "@suite/server-kit/domain";

import type { RepositoryCall } from "../git/repository-call.ts";
import { DIFF_OPTIONS } from "./diff.ts";
import { type Commit, type LogRequest, readCommit, runLog } from "./history.ts";
import { decodeText } from "./records.ts";

export interface Patch {
  readonly diff: string;
  /** Whether there is more of it. */
  readonly cut?: true;
}

/** What each commit changed, as far as there is room. Merges have none, as in git's own log. */
export async function readPatches(
  call: RepositoryCall,
  commits: readonly Commit[],
  request: LogRequest,
  budget: number,
): Promise<ReadonlyMap<string, Patch>> {
  const ofLines = request.start_line !== undefined || request.end_line !== undefined;
  const lines = ofLines ? await readLinePatches(call, request) : undefined;
  const patches = new Map<string, Patch>();
  let room = budget;
  for (const commit of commits) {
    if (commit.parents.length > 1) continue;
    if (room < LEAST) break;
    // A long one leaves room for others.
    const most = commits.length === 1 ? room : Math.max(LEAST, room / 2);
    const patch = lines
      ? cutAt(lines.get(commit.commit) ?? "", most)
      : await readWhole(call, commit, request, most);
    patches.set(commit.commit, patch);
    room -= shownSize(patch.diff);
  }
  return patches;
}

/** Less is not worth showing. */
const LEAST = 500;

async function readWhole(
  call: RepositoryCall,
  commit: Commit,
  { paths }: LogRequest,
  budget: number,
): Promise<Patch> {
  const { diff, next, cut } = await readCommit(call, commit, { ...(paths && { paths }) }, { budget });
  return { diff, ...((next !== undefined || cut !== undefined) && { cut: true }) };
}

/** Git shows the lines alone only in its log. Nobody can know the mark before each commit, and so put one into a file. */
async function readLinePatches(
  call: RepositoryCall,
  request: LogRequest,
): Promise<ReadonlyMap<string, string>> {
  const mark = `${randomBytes(16).toString("hex")} `;
  const { stdout } = await runLog(call, request, [...DIFF_OPTIONS, "--patch", `--format=${mark}%H`]);
  const parts = stdout.toString("latin1").split(mark).slice(1);
  return new Map(
    parts.map((part) => {
      const end = part.indexOf("\n");
      const diff = end < 0 ? "" : part.slice(end).trim();
      return [part.slice(0, end < 0 ? undefined : end), decodeText(Buffer.from(diff, "latin1"))];
    }),
  );
}

const cutAt = (diff: string, most: number): Patch =>
  diff.length > most ? { diff: `${diff.slice(0, most)}…`, cut: true } : { diff };
