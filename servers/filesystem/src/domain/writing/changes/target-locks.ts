import type { RecordedOperation } from "./change-record.ts";
import type { StopSignal } from "@suite/server-kit/domain";
import { removeBreaker, takeLock } from "./lock-file.ts";
import { operationTypeOf } from "./operations/operation-types.ts";
import { toLockName } from "../../reserved-names.ts";
import type { ProcessMark } from "./process-mark.ts";
import type { ChangeTarget, OpenChange } from "./open-change.ts";

interface Taker {
  readonly owner: ProcessMark;
  readonly signal: StopSignal;
}

/** What a change needs for itself, as recorded. */
export const targetsOf = (operations: readonly RecordedOperation[]): readonly string[] =>
  operations.flatMap((operation) => operationTypeOf(operation).targets(operation));

/**
 * Keeps every other process from changing the same files until it is released. A lock lies beside its file, where all
 * of them meet, however different the directories are that they were started with.
 */
export async function lockTargets(
  change: OpenChange,
  targets: readonly string[],
  { owner, signal }: Taker,
): Promise<() => void> {
  const releases: (() => void)[] = [];
  const releaseAll = (): void => {
    for (const release of releases) release();
  };
  try {
    // Always in the same order, so that no two wait for each other.
    for (const [path, target] of [...lockPaths(change, targets)].toSorted(byPath)) {
      releases.push(await takeLock({ path, about: change.guard.display(target.path), owner, signal }));
    }
    return releaseAll;
  } catch (error) {
    releaseAll();
    throw error;
  }
}

/** For recovery: taking a lock clears away one that was left, but not what was left of clearing another away. */
export function removeBreakers(change: OpenChange, targets: readonly string[], own: ProcessMark): void {
  for (const path of lockPaths(change, targets).keys()) removeBreaker(path, own);
}

/** Two spellings of a name share one lock; so do two operations on one file. */
function lockPaths(change: OpenChange, targets: readonly string[]): Map<string, ChangeTarget> {
  const found = targets.map((path) => change.target(path));
  return new Map(found.map((target) => [target.directory.at(toLockName(target.name)), target]));
}

function byPath([, a]: [string, ChangeTarget], [, b]: [string, ChangeTarget]): number {
  const [first, second] = [a, b].map(({ directory, name }) => `${directory.path}\0${toLockName(name)}`);
  return (first ?? "") < (second ?? "") ? -1 : 1;
}
