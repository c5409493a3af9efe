import { setFlagsFromString } from "node:v8";

import { defineParts } from "@suite/server-kit/program";

import { introduction } from "./introduction.ts";
import { options, parseHostHeaders } from "./options.ts";

const threadUrl = new URL("./parser-thread.js", import.meta.url);

/** The server in parts: what the program runs, and what others can be made of. */
export const fetchServer = defineParts({
  name: "suite-server-fetch",
  version: introduction.info.version,
  description: "An MCP server for the web: pages as safe, bounded, cached context.",
  introduction,
  views: new URL("./views/", import.meta.url),
  options,
  skills: new URL("./skills.json", import.meta.url),
  examples: [
    { args: "", description: "Fetches public pages, as their robots.txt allows." },
    {
      args: "--allow-hosts docs.example.com,*.python.org",
      description: "Fetches from these hosts and from no others.",
    },
    {
      args: "--allow-private-hosts 127.0.0.1:8080",
      description: "Also fetches from a server on this machine.",
    },
  ],
  checks: (given) => [
    { name: "network", run: async () => (await import("./checks.ts")).checkNetwork(given, process.env) },
    { name: "documents", run: async () => (await import("./checks.ts")).checkDocuments() },
    { name: "cache", run: async () => (await import("./checks.ts")).checkCache(given) },
  ],
  toolList: () => ({ file: new URL("./tools.json", import.meta.url) }),
  validate: ({ hostHeaders }) => parseHostHeaders(hostHeaders),
  configure: async (given, { contract }) => {
    // Pages pass through the heap quickly: by default, what they leave behind would take it to three times what is in use.
    setFlagsFromString("--heap-growing-percent=40");
    const { configureFetch } = await import("./server.ts");
    return configureFetch(given, { contract, threadUrl, environment: process.env });
  },
});
