import { renameSync } from "node:fs";
import { basename } from "node:path";
import type { RecordedDrop } from "../change-record.ts";
import { identify, statsOf } from "../identity.ts";
import { toTemporaryName } from "../../own-names.ts";
import type { Scene } from "../scene.ts";
import type { Handling, PlannedDrop } from "./operation.ts";

/** Where it lies until it is removed for good. In its own directory: that is never on another volume. */
export const droppedAt = ({ path, temporary }: RecordedDrop, scene: Scene): string =>
  scene.place(path).directory.at(temporary);

export const drop: Handling<RecordedDrop, PlannedDrop> = {
  record: ({ path }, _, toRecorded) => ({
    kind: "drop",
    path: toRecorded(path),
    temporary: toTemporaryName(basename(path)),
  }),

  places: ({ path }) => [path],

  prepare: (_, { path }, scene) => Promise.resolve({ after: identify(scene.place(path).at), bytes: 0 }),

  perform(recorded, scene) {
    renameSync(scene.place(recorded.path).at, droppedAt(recorded, scene));
  },

  isDone: (recorded, scene) => statsOf(droppedAt(recorded, scene)) !== undefined,

  abandon: () => Promise.resolve(),

  revert(recorded, scene) {
    const { at } = scene.place(recorded.path);
    const isFree = statsOf(at) === undefined;
    if (isFree) renameSync(droppedAt(recorded, scene), at);
    return Promise.resolve(isFree);
  },
};
