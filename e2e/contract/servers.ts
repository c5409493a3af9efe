import type { ContractServer } from "./contract-server.ts";
import { fetch } from "./servers/fetch.ts";
import { filesystem } from "./servers/filesystem.ts";
import { fixture } from "./servers/fixture.ts";
import { git } from "./servers/git.ts";
import { github } from "./servers/github.ts";
import { notes } from "./servers/notes.ts";
import { sqlite } from "./servers/sqlite.ts";

/** A server joins with a file of its own. */
export const SERVERS: readonly ContractServer[] = [fixture, notes, filesystem, sqlite, git, fetch, github];
