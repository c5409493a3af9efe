import { join } from "node:path";

import Database from "better-sqlite3";

import { createPlace } from "../support/place.ts";
import { SQLITE } from "../support/servers.ts";
import type { ToProgram } from "./cluster.ts";

/** Two databases that replicas of the SQLite server share: one counts calls, the other has a number that clients watch. */
export class TeamDatabases {
  readonly #folder = createPlace();
  readonly #calls = join(this.#folder, "calls.db");
  readonly #watched = join(this.#folder, "watched.db");

  constructor() {
    create(this.#calls, "CREATE TABLE calls (key TEXT NOT NULL)");
    create(this.#watched, "CREATE TABLE latest AS SELECT 0 AS number");
  }

  get files(): readonly string[] {
    return [this.#calls, this.#watched];
  }

  /** A replica on both, with environment variables of its own. */
  toProgram(env: NodeJS.ProcessEnv = {}): ToProgram {
    return (port, store) => {
      const http = ["--http", String(port), "--grace", "5s", "--metrics", "0"];
      return {
        command: [...SQLITE, ...this.files, "--store", store, ...http],
        env: { SUITE_REQUEST_STATE_SECRET: "one for all", ...env },
      };
    };
  }

  /** How often each call really happened. */
  countCalls(): ReadonlyMap<string, number> {
    const database = new Database(this.#calls, { readonly: true });
    const rows = database.prepare("SELECT key, count(*) AS times FROM calls GROUP BY key").all();
    database.close();
    return new Map((rows as { key: string; times: number }[]).map(({ key, times }) => [key, times]));
  }
}

function create(file: string, sql: string): void {
  const database = new Database(file);
  database.pragma("journal_mode = WAL");
  database.exec(sql);
  database.close();
}
