import { resolve } from "node:path";

import {
  createRootsOption,
  defineOptions,
  definePositionals,
  type ProgramOptions,
} from "@suite/server-kit/program";

const DIRECTORIES = { type: "list", separator: "\0", toAbsolute: resolve, placeholder: "DIR" } as const;

export const positionals = definePositionals({
  repositories: {
    ...DIRECTORIES,
    description:
      "A repository, like --repository. Without any, and without --allow-dir, the client's roots are used.",
  },
});

const GROUP = "Repositories";
const NETWORK = "Network";

export const options = defineOptions({
  repository: {
    flag: "--repository",
    env: "SUITE_GIT_REPOSITORY",
    ...DIRECTORIES,
    group: GROUP,
    description: "A repository that may be used: its work tree, or a bare one. May be repeated.",
  },
  allowDir: {
    flag: "--allow-dir",
    env: "SUITE_GIT_ALLOW_DIR",
    ...DIRECTORIES,
    group: GROUP,
    description: "A directory in which every repository may be used, and new ones created. May be repeated.",
  },
  roots: createRootsOption("SUITE_GIT_ROOTS", GROUP),
  trustRepository: {
    flag: "--trust-repository",
    env: "SUITE_GIT_TRUST_REPOSITORY",
    type: "boolean",
    group: GROUP,
    description:
      "Let repositories run programs: hooks, filters (Git LFS), drivers, and whatever else their configuration names. Use only for repositories whose code you would run yourself.",
  },
  resetHard: {
    flag: "--reset-hard",
    env: "SUITE_GIT_RESET_HARD",
    type: "enum",
    values: ["allow", "refuse"],
    default: "allow",
    group: GROUP,
    description: "Whether git_reset may discard uncommitted changes. git_undo restores them.",
  },
  sign: {
    flag: "--sign",
    env: "SUITE_GIT_SIGN",
    type: "boolean",
    group: GROUP,
    description: "Sign commits and tags as your global git configuration says. Otherwise nothing is signed.",
  },
  allTools: {
    flag: "--all-tools",
    env: "SUITE_GIT_ALL_TOOLS",
    type: "boolean",
    group: GROUP,
    description:
      "Offer the tools of every group (core, history, branches, conflicts, remotes), not only those for daily use.",
  },
  noUndo: {
    flag: "--no-undo",
    env: "SUITE_GIT_NO_UNDO",
    type: "boolean",
    group: GROUP,
    description: "Keep no backup refs (refs/suite/undo): nothing can be undone.",
  },
  sharedUndo: {
    flag: "--shared-undo",
    env: "SUITE_GIT_SHARED_UNDO",
    type: "boolean",
    group: GROUP,
    description: "Over HTTP with authorization: let callers see and undo each other's writes.",
  },
  allowNetwork: {
    flag: "--allow-network",
    env: "SUITE_GIT_ALLOW_NETWORK",
    type: "boolean",
    group: NETWORK,
    description:
      "Offer git_clone, git_fetch, git_pull and git_push, with your credential helpers and ssh agent.",
  },
  allowForce: {
    flag: "--allow-force",
    env: "SUITE_GIT_ALLOW_FORCE",
    type: "boolean",
    group: NETWORK,
    needs: "allowNetwork",
    description: "Let git_push replace what the remote has, with force.",
  },
  confirmPush: {
    flag: "--confirm-push",
    env: "SUITE_GIT_CONFIRM_PUSH",
    type: "boolean",
    group: NETWORK,
    needs: "allowNetwork",
    description: "Ask a person before every push, through the client.",
  },
});

export type GitOptions = ProgramOptions<typeof options, typeof positionals>;
