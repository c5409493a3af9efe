import type { TourServer } from "../tour-server.ts";
import { fetch } from "./fetch.ts";
import { filesystem } from "./filesystem.ts";
import { git } from "./git.ts";
import { github } from "./github.ts";
import { notes } from "./notes.ts";
import { sqlite } from "./sqlite.ts";

/** The stops of the tour, in order. A new server joins with a file here and a line below. */
export const SERVERS: readonly TourServer[] = [filesystem, sqlite, git, fetch, github, notes];
