import { Fault, type PathGuard, quotePath, type SafePath, type StopSignal } from "@suite/server-kit/domain";
import { closing, withEntry } from "../closing.ts";
import { type Applied, applyChange, type ChangeRequest, type Proposal } from "./changes/apply-change.ts";
import { type CopyCount, TreeCopy } from "./copy-tree.ts";
import {
  clearWay,
  isReplaced,
  requireApart,
  requireFree,
  type TransferInput,
  type Transferred,
} from "./destination.ts";
import { findMissingParents, requireEntry } from "./entry-at.ts";
import { lookAtEntry } from "../reading/open.ts";
import { kindOf } from "../walking/read-entries.ts";

export interface Copied extends Transferred {
  entries: number;
  bytes: number;
  /** Special files, links that would lead outside, and protected entries, which are not copied. */
  skipped?: { path: string; reason: string }[];
  skipped_total?: number;
}

/** Copies a file, or a directory with everything in it. It appears at the destination completely or not at all. */
export async function copyEntry(request: ChangeRequest, input: TransferInput): Promise<Copied & Applied> {
  const source = request.guard.locate(input.source);
  const destination = request.guard.locate(input.destination, { intent: "write" });
  requireApart(source, destination);
  return applyChange(request, [destination], () => propose(request, input, source, destination));
}

async function propose(
  request: ChangeRequest,
  { overwrite = false }: TransferInput,
  source: SafePath,
  path: SafePath,
): Promise<Proposal<Copied>> {
  const { guard, signal, isDryRun = false } = request;
  const kind = kindOf(requireEntry(guard, source));
  if (kind === "other") throw new Fault("unsupported", `${quotePath(source)} is a special file`);
  const make = findMissingParents(guard, path);
  const there = lookAtEntry(guard, path);
  requireFree({ path, there }, { path: source, kind }, overwrite);
  let count = isDryRun ? await copyUnder("", { guard, source, path, signal, isDryRun }) : undefined;
  const fill = async (temporary: string): Promise<void> => {
    count = await copyUnder(temporary, { guard, source, path, signal });
  };
  return {
    describe: () => ({
      source: guard.display(source),
      destination: guard.display(path),
      kind,
      destination_existed: there !== undefined,
      ...toFacts(count),
    }),
    plan: {
      tool: "copy_file",
      summary: `copied from ${quotePath(source)}`,
      make,
      operations: [
        ...clearWay(request, { path, there }, kind),
        { kind: "put", path, replaces: isReplaced(there, kind), fill },
      ],
      isCurrent: () => lookAtEntry(guard, path)?.ino === there?.ino,
    },
  };
}

interface CopyTask {
  readonly guard: PathGuard;
  readonly source: SafePath;
  /** The final destination, which decides whether links lead outside. */
  readonly path: SafePath;
  readonly signal: StopSignal;
  readonly isDryRun?: boolean;
  readonly keepsTimes?: boolean;
}

/** Copies the source, with its directory held open meanwhile. */
export async function copyUnder(temporary: string, task: CopyTask): Promise<CopyCount> {
  const { guard, source, path, signal } = task;
  const copy = new TreeCopy(guard, signal, task);
  const paths = { source: guard.display(source), destination: path };
  await (guard.roots.includes(source)
    ? // A descriptor path is itself a link: "/." copies its target.
      closing(guard.holdDirectory(source), (held) => copy.copy(`${held.at()}/.`, temporary, paths))
    : withEntry(guard, source, (at) => copy.copy(at, temporary, paths)));
  return copy.count;
}

function toFacts(
  count: CopyCount | undefined,
): Pick<Copied, "entries" | "bytes" | "skipped" | "skipped_total"> {
  const { entries = 0, bytes = 0 } = count ?? {};
  const { listed = [], total = 0 } = count?.skipped ?? {};
  return {
    entries,
    bytes,
    ...(total > 0 && { skipped: listed }),
    ...(total > listed.length && { skipped_total: total }),
  };
}
