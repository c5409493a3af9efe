import { renameSync } from "node:fs";
import type { RecordedRestore } from "../change-record.ts";
import { identifyWhole, isStill, statsOf } from "../identity.ts";
import type { Scene } from "../scene.ts";
import type { Handling, PlannedRestore } from "./operation.ts";

/** Through the earlier change's folder, held meanwhile: somebody may put a link in its place. */
function withKept<T>({ entry, image }: RecordedRestore, { trash }: Scene, work: (kept: string) => T): T {
  const folder = trash.folder.open(entry);
  try {
    return work(folder.at(image));
  } finally {
    folder.close();
  }
}

export const restore: Handling<RecordedRestore, PlannedRestore> = {
  record: ({ path, entry, image }, _, toRecorded) => ({
    kind: "restore",
    path: toRecorded(path),
    entry,
    image,
  }),

  places: ({ path }) => [path],

  prepare: (_, recorded, scene) =>
    Promise.resolve({ after: withKept(recorded, scene, identifyWhole), bytes: 0 }),

  perform(recorded, scene) {
    withKept(recorded, scene, (kept) => renameSync(kept, scene.place(recorded.path).at));
  },

  isDone: (recorded, scene) => withKept(recorded, scene, statsOf) === undefined,

  abandon: () => Promise.resolve(),

  revert(recorded, scene) {
    const { at } = scene.place(recorded.path);
    const isOurs = recorded.after !== undefined && isStill(recorded.after, at);
    if (isOurs) withKept(recorded, scene, (kept) => renameSync(at, kept));
    return Promise.resolve(isOurs);
  },
};
