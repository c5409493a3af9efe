import type { RecordedOperation } from "./change-record.ts";
import type { StopSignal } from "@suite/server-kit/domain";
import { removeBreaker, takeLock } from "./lock-file.ts";
import { handlingOf } from "./operations/handlings.ts";
import { toLockName } from "../own-names.ts";
import type { ProcessMark } from "./process-mark.ts";
import type { Place, Scene } from "./scene.ts";

interface Taker {
  readonly owner: ProcessMark;
  readonly signal: StopSignal;
}

/** What a change needs for itself, as recorded. */
export const targetsOf = (operations: readonly RecordedOperation[]): readonly string[] =>
  operations.flatMap((operation) => handlingOf(operation).places(operation));

/**
 * Keeps every other process from changing the same files until it is released. A lock lies beside its file, where all
 * of them meet, however different the directories are that they were started with.
 */
export async function lockTargets(
  scene: Scene,
  targets: readonly string[],
  { owner, signal }: Taker,
): Promise<() => void> {
  const releases: (() => void)[] = [];
  const releaseAll = (): void => {
    for (const release of releases) release();
  };
  try {
    // Always in the same order, so that no two wait for each other.
    for (const [path, place] of [...lockPaths(scene, targets)].toSorted(byPath)) {
      releases.push(await takeLock({ path, about: scene.guard.display(place.path), owner, signal }));
    }
    return releaseAll;
  } catch (error) {
    releaseAll();
    throw error;
  }
}

/** For recovery: taking a lock clears away one that was left, but not what was left of clearing another away. */
export function removeBreakers(scene: Scene, targets: readonly string[], own: ProcessMark): void {
  for (const path of lockPaths(scene, targets).keys()) removeBreaker(path, own);
}

/** Two spellings of a name share one lock; so do two operations on one file. */
function lockPaths(scene: Scene, targets: readonly string[]): Map<string, Place> {
  const places = targets.map((path) => scene.place(path));
  return new Map(places.map((place) => [place.directory.at(toLockName(place.name)), place]));
}

function byPath([, a]: [string, Place], [, b]: [string, Place]): number {
  const [first, second] = [a, b].map(({ directory, name }) => `${directory.path}\0${toLockName(name)}`);
  return (first ?? "") < (second ?? "") ? -1 : 1;
}
