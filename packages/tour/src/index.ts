// What the tests use of the tour, and the documents that show parts of it.
export { runCommand } from "./command.ts";
export type { TourServer } from "./conversation.ts";
export { compareRevisions } from "./revisions.ts";
export { Screen } from "./screen.ts";
export { filesystem, notes, sqlite } from "./servers.ts";
export { type HostConfig, type HostId, readHostConfig, runTour } from "./tour.ts";
