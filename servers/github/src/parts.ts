import { defineParts } from "@suite/server-kit/program";

import { singleOf, toPatterns } from "./domain/gateway/repo-names.ts";
import { introduction } from "./introduction.ts";
import { noteIdle, requireHonoured } from "./official.ts";
import { options } from "./options.ts";
import { toCredentials, whyUnavailable } from "./setup.ts";

const environment = process.env;

/** The server in parts: what the program runs, and what others can be made of. */
export const github = defineParts({
  name: "suite-server-github",
  version: introduction.info.version,
  description: "An MCP server for GitHub: a small tool list, hard walls around repositories, honest retries.",
  introduction,
  views: new URL("./views/", import.meta.url),
  options,
  skills: new URL("./skills.json", import.meta.url),
  examples: [
    {
      args: "--repos octo/app",
      description: "Reads and writes one repository; tools do not ask for its name.",
    },
    { args: "--read-only --toolsets all", description: "Offers all tools that change nothing." },
    {
      args: "--repos 'acme/*' --write-repos acme/sandbox --lockdown",
      description: "Reads an organization without strangers' words, and writes one repository of it.",
    },
  ],
  checks: (given) => [
    {
      name: "github",
      run: async (signal) => (await import("./checks.ts")).checkGithub(given, environment, signal),
    },
  ],
  toolList: (given) =>
    // With a single repository, tools take neither owner nor repo.
    singleOf(toPatterns(given.repos, given.writeRepos)) === undefined
      ? {
          file: new URL("./tools.json", import.meta.url),
          whyUnavailable: (tool) => whyUnavailable(tool, given),
        }
      : undefined,
  validate: (given) => {
    requireHonoured(environment);
    toCredentials(given);
  },
  configure: async (given, { contract, log }) => {
    const note = noteIdle(environment, given.toolsets);
    if (note !== undefined) log.warning(note);
    const { configureGithub } = await import("./server.ts");
    return configureGithub(given, { contract, environment });
  },
});
