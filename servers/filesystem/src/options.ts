import { resolve } from "node:path";

import { createRootsOption, defineOptions, definePositionals } from "@suite/server-kit/program";

export const positionals = definePositionals({
  directories: {
    type: "list",
    toAbsolute: resolve,
    placeholder: "DIR",
    separator: "\0",
    description:
      "A directory that may be read and written, with everything below it. Without any, the client's roots are used.",
  },
});

export const options = defineOptions({
  roots: createRootsOption("SUITE_FILESYSTEM_ROOTS", "Files"),
  links: {
    flag: "--links",
    env: "SUITE_FILESYSTEM_LINKS",
    type: "enum",
    values: ["inside", "refuse"],
    default: "inside",
    group: "Files",
    description: "Symbolic links: followed where they stay inside the directories, or refused everywhere.",
  },
  allowGitWrites: {
    flag: "--allow-git-writes",
    env: "SUITE_FILESYSTEM_ALLOW_GIT_WRITES",
    type: "boolean",
    group: "Files",
    description: "Let tools write inside .git, where a changed hook or setting can make git run programs.",
  },
  allTools: {
    flag: "--all-tools",
    env: "SUITE_FILESYSTEM_ALL_TOOLS",
    type: "boolean",
    group: "Files",
    description: "Also offer the tools of the group extra: find_duplicates and compose_file.",
  },
  noUndo: {
    flag: "--no-undo",
    env: "SUITE_FILESYSTEM_NO_UNDO",
    type: "boolean",
    group: "Files",
    description: "Keep no copies of what is replaced or deleted: nothing can be undone.",
  },
  sharedUndo: {
    flag: "--shared-undo",
    env: "SUITE_FILESYSTEM_SHARED_UNDO",
    type: "boolean",
    group: "Files",
    description: "Over HTTP with authorization: let callers see and undo each other's changes.",
  },
  undoDays: {
    flag: "--undo-days",
    env: "SUITE_FILESYSTEM_UNDO_DAYS",
    type: "integer",
    default: 7,
    min: 1,
    max: 365,
    placeholder: "DAYS",
    group: "Files",
    description: "How long changes can be undone. Copies are kept in .suite-trash of each directory.",
  },
});
