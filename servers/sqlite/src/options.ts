import { resolve } from "node:path";

import { defineOptions, definePositionals } from "@suite/server-kit/program";

import { toAbsolute } from "./domain/database-file.ts";

export const positionals = definePositionals({
  files: {
    type: "list",
    toAbsolute,
    placeholder: "FILE",
    separator: "\0",
    description:
      "A database file, or name=FILE to choose what tools call it. Without a name, it is called by its file name. :memory: is an empty database that ends with the process.",
  },
});

export const options = defineOptions({
  dbPath: {
    flag: "--db-path",
    env: "SUITE_SQLITE_DB_PATH",
    type: "list",
    separator: "\0",
    toAbsolute,
    placeholder: "FILE",
    group: "Databases",
    description: "A database file, like an argument. May be repeated.",
  },
  create: {
    flag: "--create",
    env: "SUITE_SQLITE_CREATE",
    type: "boolean",
    group: "Databases",
    description: "Create database files that do not exist.",
  },
  allowDdl: {
    flag: "--allow-ddl",
    env: "SUITE_SQLITE_ALLOW_DDL",
    type: "boolean",
    group: "Databases",
    description: "Let tools change the schema: create, alter and drop tables, indexes, views and triggers.",
  },
  exchange: {
    flag: "--exchange",
    env: "SUITE_SQLITE_EXCHANGE",
    type: "list",
    separator: "\0",
    toAbsolute: resolve,
    placeholder: "DIR",
    group: "Databases",
    description:
      "A directory that import_data, export_data and backup_database may use. Without one, these tools are not offered.",
  },
  busyTimeout: {
    flag: "--busy-timeout",
    env: "SUITE_SQLITE_BUSY_TIMEOUT",
    type: "duration",
    default: 5000,
    placeholder: "TIME",
    group: "Databases",
    description: "How long to wait for another process that has locked a database.",
  },
  memory: {
    flag: "--memory",
    env: "SUITE_SQLITE_MEMORY",
    type: "integer",
    default: 256,
    min: 96,
    max: 65_536,
    placeholder: "MIB",
    group: "Databases",
    description:
      "The most memory that the process of one database may take; a statement that needs more is stopped.",
  },
  noUndo: {
    flag: "--no-undo",
    env: "SUITE_SQLITE_NO_UNDO",
    type: "boolean",
    group: "Databases",
    description: "Keep no copies of rows and tables that are changed: nothing can be undone.",
  },
  sharedUndo: {
    flag: "--shared-undo",
    env: "SUITE_SQLITE_SHARED_UNDO",
    type: "boolean",
    group: "Databases",
    description: "Over HTTP with authorization: let callers see and undo each other's changes.",
  },
  undoDays: {
    flag: "--undo-days",
    env: "SUITE_SQLITE_UNDO_DAYS",
    type: "integer",
    default: 7,
    min: 1,
    max: 365,
    placeholder: "DAYS",
    group: "Databases",
    description:
      "How long changes can be undone. Copies are kept in a file beside each database, named after it with .suite-undo.",
  },
});
