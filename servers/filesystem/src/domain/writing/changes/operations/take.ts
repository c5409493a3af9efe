import { renameSync } from "node:fs";
import type { RecordedTake } from "../change-record.ts";
import { identify, statsOf } from "../identity.ts";
import type { Handling, PlannedTake } from "./operation.ts";

export const take: Handling<RecordedTake, PlannedTake> = {
  record: ({ path }, image, toRecorded) => ({ kind: "take", path: toRecorded(path), image }),

  places: ({ path }) => [path],

  // Nothing to make ready: it is moved as it is.
  prepare: ({ bytes }, { path }, scene) => Promise.resolve({ after: identify(scene.place(path).at), bytes }),

  perform({ path, image }, scene) {
    renameSync(scene.place(path).at, scene.image(image));
  },

  isDone: ({ image }, scene) => statsOf(scene.image(image)) !== undefined,

  abandon: () => Promise.resolve(),

  revert({ path, image }, scene) {
    const { at } = scene.place(path);
    const isFree = statsOf(at) === undefined;
    if (isFree) renameSync(scene.image(image), at);
    return Promise.resolve(isFree);
  },
};
