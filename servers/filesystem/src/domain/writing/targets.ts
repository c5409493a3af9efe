import { platform } from "node:os";
import { basename, join } from "node:path";
import {
  countOf,
  Fault,
  fromPathText,
  isWithin,
  parsePath,
  quotePath,
  type SafePath,
  toPathText,
} from "@suite/server-kit/domain";
import { baseOf, fromBase } from "../walking/start.ts";
import { type Applied, applyChange, type ChangeRequest, type Proposal } from "./changes/apply-change.ts";
import type { TransferInput, Transferred } from "./destination.ts";

/** One of several things that a call changes. */
export interface Target<T> {
  readonly writes: readonly SafePath[];
  readonly reads?: readonly SafePath[];
  readonly propose: () => Proposal<T> | Promise<Proposal<T>>;
}

/** Of one target, its own result; of several, a sum, and the paths relative to the one directory that is allowed. */
export type ChangedTargets<T, Sum = object> = Partial<T> & {
  targets?: number;
  path?: string;
} & Partial<Sum> &
  Applied;

/**
 * Changes all targets in their order, or none of them: as one change, which one undo takes back. All are checked before the
 * first is changed.
 */
export async function applyTargets<T extends object, Sum extends object>(
  request: ChangeRequest,
  targets: readonly Target<T>[],
  toSum: (results: readonly T[]) => Sum,
): Promise<ChangedTargets<T, Sum>> {
  requireIndependent(targets);
  const base = targets.length === 1 ? undefined : baseOf(request.guard);
  const done: ChangedTargets<T, Sum> = await applyChange<object>(
    request,
    targets.flatMap(({ writes }) => writes),
    async () => {
      const proposals: Proposal<T>[] = [];
      for (const { propose } of targets) proposals.push(await propose());
      const plans = proposals.flatMap(({ plan }) => plan ?? []);
      const [first] = plans;
      const describe = (): object => {
        const results = proposals.map((proposal) => proposal.describe());
        if (results.length === 1) return results[0] as T;
        return { ...(base !== undefined && { path: base }), targets: results.length, ...toSum(results) };
      };
      if (!first) return { describe };
      const cannotUndo = plans.find((plan) => plan.cannotUndo !== undefined)?.cannotUndo;
      return {
        describe,
        plan: {
          tool: first.tool,
          summary: plans.length === 1 ? first.summary : countOf(plans.length, "target"),
          make: [...new Set(plans.flatMap(({ make = [] }) => make))],
          operations: plans.flatMap(({ operations }) => operations),
          ...(cannotUndo !== undefined && { cannotUndo }),
          isCurrent: () => plans.every((plan) => plan.isCurrent()),
        },
      };
    },
  );
  return { ...done, changed: done.changed.map((path) => fromBase(base, path)) };
}

/** All targets are checked before the first is changed, so none may depend on what another one does. */
function requireIndependent(targets: readonly Target<object>[]): void {
  for (const [index, { writes }] of targets.entries()) {
    for (const [other, { writes: others, reads = [] }] of targets.entries()) {
      if (index === other) continue;
      for (const path of writes)
        for (const near of [...others, ...reads])
          if (isWithin(near, path) || isWithin(path, near)) throw refuseDependent(path, near);
    }
  }
}

const refuseDependent = (path: SafePath, other: SafePath): Fault => {
  const what = path === other ? `${quotePath(path)} is` : `${quotePath(path)} and ${quotePath(other)} are`;
  const words = path === other ? "named twice" : "inside one another";
  return new Fault("invalid_input", `${what} ${words} in one call`, {
    hint: "Nothing was changed. Use one call after the other.",
  });
};

export interface TransferLists extends Pick<TransferInput, "overwrite"> {
  readonly source: string | readonly string[];
  readonly destination: string | readonly string[];
}

/** Several sources go into one directory, or each to its own new path. */
export function toTransfers({ source, destination, overwrite }: TransferLists): TransferInput[] {
  if (typeof source === "string" && typeof destination === "string")
    return [{ source, destination, overwrite }];
  const sources = [source].flat();
  if (typeof destination === "string")
    return sources.map((one) => ({ source: one, destination: toEntry(destination, one), overwrite }));
  if (destination.length !== sources.length) {
    const counts = `${countOf(sources.length, "source")} and ${countOf(destination.length, "destination")}`;
    throw new Fault("invalid_input", `There are ${counts}`, {
      hint: "Give as many new paths as sources, or one directory for all.",
    });
  }
  return sources.map((one, index) => ({ source: one, destination: destination[index] ?? "", overwrite }));
}

/** What has the name of the source in that directory; both may be file: URIs, or in the form that results use. */
function toEntry(directory: string, source: string): string {
  const read = (text: string): string => parsePath(fromPathText(text), platform()).path;
  return toPathText(join(read(directory), basename(read(source))));
}

/** Of several copies or moves. */
export interface TransferSum {
  /** How many of the destinations existed before. */
  readonly replaced?: number;
}

export function sumTransfers(results: readonly Transferred[]): TransferSum {
  const replaced = results.filter(({ destination_existed: existed }) => existed).length;
  return replaced > 0 ? { replaced } : {};
}

export const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0);
