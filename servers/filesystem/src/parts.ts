import { requireDirectory, requireOwnDirectories, defineParts } from "@suite/server-kit/program";

import { introduction } from "./introduction.ts";
import { options, positionals } from "./options.ts";
import { whyUnavailable } from "./tool-groups.ts";

/** The server in parts: what the program runs, and what others can be made of. */
export const filesystem = defineParts({
  name: "suite-server-filesystem",
  version: introduction.info.version,
  description: "An MCP server for files: read, search, edit and undo, inside the directories you name.",
  introduction,
  views: new URL("./views/", import.meta.url),
  options,
  positionals,
  skills: new URL("./skills.json", import.meta.url),
  examples: [
    { args: "~/project", description: "Serves one directory." },
    { args: "--read-only ~/project ~/notes", description: "Serves two, and changes nothing." },
    { args: "", description: "Serves what the client has open, if it says so (roots)." },
  ],
  checks: (given) => [
    {
      name: "directories",
      run: async (signal) => (await import("./checks.ts")).checkDirectories(given.directories, signal),
    },
    { name: "documents", run: async () => (await import("./checks.ts")).checkDocuments() },
  ],
  toolList: (given) => ({
    file: new URL("./tools.json", import.meta.url),
    whyUnavailable: (tool) => whyUnavailable(tool, given),
  }),
  validate: ({ directories, roots, http }) => {
    requireOwnDirectories({ directories, policy: roots, http });
    directories.forEach((directory) => requireDirectory(directory));
  },
  configure: async (given, context) => {
    const { configureFilesystem } = await import("./server.ts");
    return configureFilesystem(given, { ...context, pid: process.pid });
  },
});
