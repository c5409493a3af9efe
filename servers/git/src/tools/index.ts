import type { ToolDefinition } from "@suite/server-kit";

import type { GitState } from "../state.ts";
import { gitBisect } from "./bisect.ts";
import { gitCheckout, gitCreateBranch, gitDeleteBranch, gitStash, gitTag, gitWorktree } from "./branches.ts";
import { gitAdd, gitCommit, gitReset, gitRestore } from "./commit.ts";
import { gitConflicts, gitResolveConflict } from "./conflicts.ts";
import { gitDiff, gitDiffStaged, gitDiffUnstaged, gitShow } from "./diffs.ts";
import { gitBlame, gitGrep, gitListFiles, gitReadFile } from "./files.ts";
import {
  gitBranch,
  gitListRepositories,
  gitReflog,
  gitRemotes,
  gitStashList,
  gitTags,
  gitWorktrees,
} from "./lists.ts";
import { gitListHunks, gitStageHunks, gitUnstageHunks } from "./hunks.ts";
import { gitCherryPick, gitContinueOrAbort, gitMerge, gitRebase, gitRevert } from "./integrate.ts";
import { gitLog } from "./log.ts";
import { gitClone, gitFetch, gitInit, gitPull, gitPush } from "./remotes.ts";
import { ALIASES } from "./schemas.ts";
import { gitStatus } from "./status.ts";
import { gitUndo } from "./undo.ts";

/** In the order in which they are listed: looking before changing. */
const ALL: readonly ToolDefinition<GitState>[] = [
  gitStatus,
  gitDiffUnstaged,
  gitDiffStaged,
  gitDiff,
  gitLog,
  gitShow,
  gitBranch,
  gitBlame,
  gitReflog,
  gitListHunks,
  gitStashList,
  gitConflicts,
  gitListRepositories,
  gitAdd,
  gitStageHunks,
  gitUnstageHunks,
  gitCommit,
  gitReset,
  gitRestore,
  gitCreateBranch,
  gitCheckout,
  gitDeleteBranch,
  gitStash,
  gitMerge,
  gitRebase,
  gitCherryPick,
  gitRevert,
  gitResolveConflict,
  gitContinueOrAbort,
  gitBisect,
  gitUndo,
  gitReadFile,
  gitListFiles,
  gitGrep,
  gitTags,
  gitTag,
  gitWorktrees,
  gitWorktree,
  gitRemotes,
  gitInit,
  gitClone,
  gitFetch,
  gitPull,
  gitPush,
];

/** These do not work in a repository, and take no repo_path. */
const OUTSIDE = new Set<ToolDefinition<GitState>>([gitListRepositories, gitInit, gitClone]);

export const tools: readonly ToolDefinition<GitState>[] = ALL.map((tool) =>
  OUTSIDE.has(tool) ? tool : { ...tool, aliases: { ...tool.aliases, repo_path: ALIASES.repo_path } },
);
