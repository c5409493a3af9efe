import { defineOptions, standardOptions } from "@suite/server-kit/program";

import { checkEndpoints } from "./endpoints.ts";
import { parseRepoPattern } from "./domain/gateway/repo-names.ts";
import { DEFAULT_TOOLSETS, OTHER_TOOLSETS, TOOLSET_ALIASES, TOOLSETS } from "./toolsets.ts";

const checkPatterns = (patterns: readonly string[]): string | undefined =>
  patterns.every((pattern) => parseRepoPattern(pattern) !== undefined)
    ? undefined
    : "a list of owner/name or owner/*, such as octo/app,acme/*";

const TOOLSET_NAMES: readonly string[] = [...TOOLSETS, ...Object.keys(TOOLSET_ALIASES), "default", "all"];

/** Those of GitHub's own server may be among them, but they alone would offer nothing. */
const checkToolsets = (names: readonly string[]): string | undefined =>
  names.every((name) => TOOLSET_NAMES.includes(name) || OTHER_TOOLSETS.includes(name)) &&
  names.some((name) => TOOLSET_NAMES.includes(name))
    ? undefined
    : `some of ${TOOLSET_NAMES.join(", ")}`;

const ACCESS = "GitHub";
const SAFETY = "Safety";

export const options = defineOptions({
  token: {
    env: "GITHUB_TOKEN",
    type: "string",
    secret: true,
    askedUnless: ["personalAccessToken", "ownerTokens", "appPrivateKey"],
    group: ACCESS,
    description: "A personal access token. Without any token, public data can be read, 60 requests an hour.",
  },
  personalAccessToken: {
    env: "GITHUB_PERSONAL_ACCESS_TOKEN",
    type: "string",
    secret: true,
    group: ACCESS,
    description: "The same under another name; GITHUB_TOKEN comes first.",
  },
  ownerTokens: {
    env: "GITHUB_OWNER_TOKENS",
    type: "string",
    secret: true,
    group: ACCESS,
    description: "Tokens for single owners: acme=ghp_…,octo=ghp_…. Other owners get the token above.",
  },
  appId: {
    flag: "--app-id",
    env: "GITHUB_APP_ID",
    type: "string",
    placeholder: "ID",
    needs: "appInstallationId",
    group: ACCESS,
    description: "Authenticate as an installation of this GitHub App.",
  },
  appInstallationId: {
    flag: "--app-installation-id",
    env: "GITHUB_APP_INSTALLATION_ID",
    type: "integer",
    placeholder: "ID",
    needs: "appId",
    group: ACCESS,
    description: "The installation of the GitHub App.",
  },
  appPrivateKey: {
    env: "GITHUB_APP_PRIVATE_KEY",
    type: "string",
    secret: true,
    group: ACCESS,
    description: "The private key of the GitHub App, as PEM.",
  },
  host: {
    flag: "--host",
    env: "GITHUB_HOST",
    type: "string",
    default: "github.com",
    check: (host: string): string | undefined => checkEndpoints(host),
    placeholder: "HOST",
    group: ACCESS,
    description: "github.com, a tenant such as acme.ghe.com, or the host of a GitHub Enterprise Server.",
  },
  apiUrl: {
    flag: "--api-url",
    env: "GITHUB_API_URL",
    type: "string",
    check: (url: string): string | undefined => checkEndpoints("", url),
    placeholder: "URL",
    group: ACCESS,
    description:
      "The URL of the REST API, if --host is not enough to find it, such as https://git.acme.com/api/v3.",
  },
  pollInterval: {
    flag: "--poll-interval",
    env: "GITHUB_POLL_INTERVAL",
    type: "duration",
    default: 60_000,
    check: (ms: number): string | undefined => (ms >= 100 ? undefined : "a time of 100ms or more"),
    placeholder: "TIME",
    group: ACCESS,
    description: "How often to check whether something a client subscribed to has changed.",
  },
  toolsets: {
    flag: "--toolsets",
    env: "GITHUB_TOOLSETS",
    type: "list",
    default: ["default"],
    placeholder: "NAME",
    check: checkToolsets,
    group: "Tools",
    description: `Which tools to offer: ${TOOLSETS.join(", ")}; default (${DEFAULT_TOOLSETS.join(", ")}) or all.`,
  },
  // The variables that GitHub's own server has for them.
  readOnly: { ...standardOptions.readOnly, alsoEnv: "GITHUB_READ_ONLY" },
  tools: { ...standardOptions.tools, alsoEnv: "GITHUB_TOOLS" },
  excludeTools: { ...standardOptions.excludeTools, alsoEnv: "GITHUB_EXCLUDE_TOOLS" },
  repos: {
    flag: "--repos",
    env: "GITHUB_REPOS",
    type: "list",
    placeholder: "OWNER/NAME",
    check: checkPatterns,
    group: SAFETY,
    description:
      "The only repositories to read and write: owner/name or owner/*. With a single one, tools do not ask for owner and repo.",
  },
  writeRepos: {
    flag: "--write-repos",
    env: "GITHUB_WRITE_REPOS",
    type: "list",
    placeholder: "OWNER/NAME",
    check: checkPatterns,
    group: SAFETY,
    description: "The only repositories to write. They may be read, too.",
  },
  lockdown: {
    flag: "--lockdown",
    env: "GITHUB_LOCKDOWN",
    alsoEnv: "GITHUB_LOCKDOWN_MODE",
    type: "boolean",
    group: SAFETY,
    description: "Hide what people without push access wrote in public repositories.",
  },
  taintGuard: {
    flag: "--taint-guard",
    env: "GITHUB_TAINT_GUARD",
    type: "enum",
    values: ["ask", "refuse", "off"],
    default: "ask",
    group: SAFETY,
    description:
      "What to do with a write to a public place after text by strangers and private content were both read: ask a person (refuse if the client cannot ask), refuse, or allow it.",
  },
  taintMemory: {
    flag: "--taint-memory",
    env: "GITHUB_TAINT_MEMORY",
    type: "duration",
    default: 24 * 60 * 60_000,
    placeholder: "TIME",
    group: SAFETY,
    description:
      "How long the guard remembers what was read. A restart resets it, unless there is a --store.",
  },
});
