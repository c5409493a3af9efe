import type { ToolDefinition } from "@suite/server-kit";

import type { GitState } from "../state.ts";
import { gitAdd } from "./add.ts";
import { gitBranch } from "./branch.ts";
import { gitCheckout, gitCreateBranch } from "./branches.ts";
import { gitCommit } from "./commit.ts";
import { gitDiff, gitDiffStaged, gitDiffUnstaged } from "./diffs.ts";
import { gitBlame, gitGrep, gitListFiles, gitReadFile } from "./files.ts";
import {
  gitListRepositories,
  gitReflog,
  gitRemotes,
  gitStashList,
  gitTags,
  gitWorktrees,
} from "./history-lists.ts";
import { gitListHunks, gitStageHunks, gitUnstageHunks } from "./hunks.ts";
import { gitLog } from "./log.ts";
import { gitReset, gitRestore } from "./reset.ts";
import { gitShow } from "./show.ts";
import { gitStatus } from "./status.ts";
import { gitUndo } from "./undo.ts";

/** What a coding agent uses daily. The others are there for whoever names their group in --tools. */
export const DEFAULT_GROUPS: readonly string[] = ["core"];

/** In the order in which they are listed: looking before changing. */
export const tools: readonly ToolDefinition<GitState>[] = [
  gitStatus,
  gitDiffUnstaged,
  gitDiffStaged,
  gitDiff,
  gitLog,
  gitShow,
  gitBranch,
  gitListHunks,
  gitListRepositories,
  gitAdd,
  gitStageHunks,
  gitUnstageHunks,
  gitCommit,
  gitReset,
  gitRestore,
  gitCreateBranch,
  gitCheckout,
  gitUndo,
  gitReadFile,
  gitListFiles,
  gitGrep,
  gitBlame,
  gitTags,
  gitReflog,
  gitStashList,
  gitWorktrees,
  gitRemotes,
];
