import { requireDirectory, requireOwnDirectories, defineParts } from "@suite/server-kit/program";

import { introduction } from "./introduction.ts";
import { options, positionals } from "./options.ts";
import { whyUnavailable } from "./tool-groups.ts";

/** The server in parts: what the program runs, and what others can be made of. */
export const git = defineParts({
  name: "suite-server-git",
  version: introduction.info.version,
  description: "An MCP server for git: history, staging, branches and undo, safe on a hostile repository.",
  introduction,
  views: new URL("./views/", import.meta.url),
  options,
  positionals,
  skills: new URL("./skills.json", import.meta.url),
  examples: [
    { args: "--repository ~/project", description: "Serves one repository." },
    {
      args: "--read-only --allow-dir ~/src",
      description: "Serves every repository in a directory, and changes none.",
    },
    {
      args: "--allow-network --confirm-push ~/project",
      description: "May fetch, pull and push; a person is asked before each push.",
    },
  ],
  checks: (given) => [
    { name: "git", run: async (signal) => (await import("./checks.ts")).checkGit(process.env, signal) },
    { name: "repositories", run: async () => (await import("./checks.ts")).checkRepositories(given) },
  ],
  toolList: (given) => ({
    file: new URL("./tools.json", import.meta.url),
    whyUnavailable: (tool) => whyUnavailable(tool, given),
  }),
  validate: ({ repositories, repository, allowDir, roots, http }) => {
    const directories = [...repositories, ...repository, ...allowDir];
    requireOwnDirectories({ directories, policy: roots, http });
    directories.forEach((directory) => requireDirectory(directory));
  },
  configure: async (given, context) => {
    const { configureGit, findUnheld, isRunning, startOf } = await import("./server.ts");
    return configureGit(given, {
      ...context,
      env: process.env,
      processes: { pid: process.pid, isRunning, startOf, findUnheld },
    });
  },
});
