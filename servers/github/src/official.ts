import { ExitError } from "@suite/server-kit/program";

import { DEFAULT_TOOLSETS, OTHER_TOOLSETS, TOOLSET_ALIASES, TOOLSETS } from "./toolsets.ts";

/**
 * The variables of GitHub's own MCP server, for people who come from there. Those that are not named here are options of ours
 * (options.ts), or are read under another name of theirs (`alsoEnv`).
 */
type Environment = { readonly [name: string]: string | undefined };

/** They limit or record what the server does, and this one cannot do it in the same way: it must not start without a word. */
const WALLS: { readonly [name: string]: string } = {
  GITHUB_OAUTH_SCOPES: "Unset it, and set GITHUB_TOKEN to a token that has only these scopes.",
  GITHUB_ENABLE_COMMAND_LOGGING: "Unset it, and start with --audit-log FILE.",
  GITHUB_REPO_ACCESS_CACHE_TTL: "Unset it: this server asks again after five minutes.",
  GITHUB_APP_PRIVATE_KEY_PATH: "Set GITHUB_APP_PRIVATE_KEY_FILE instead.",
};

const IDLE: ReadonlySet<string> = new Set([
  "GITHUB_AUTHORIZATION_SERVER",
  "GITHUB_BASE_PATH",
  "GITHUB_BASE_URL",
  "GITHUB_CONTENT_WINDOW_SIZE",
  "GITHUB_DYNAMIC_TOOLSETS",
  "GITHUB_EXPORT_TRANSLATIONS",
  "GITHUB_FEATURES",
  "GITHUB_INSIDERS",
  "GITHUB_LISTEN_HOST",
  "GITHUB_LOG_FILE",
  "GITHUB_OAUTH_CALLBACK_PORT",
  "GITHUB_OAUTH_CLIENT_ID",
  "GITHUB_OAUTH_CLIENT_SECRET",
  "GITHUB_PORT",
  "GITHUB_SCOPE_CHALLENGE",
  "GITHUB_TRUST_PROXY_HEADERS",
]);
const IDLE_TEXT = /^GITHUB_MCP_(?:SERVER|TOOL|PROMPT|RESOURCE)_/;

const isSet = (value: string | undefined): boolean => !/^(?:|0|f|false)$/i.test(value ?? "");

/** Throws for settings that would have to be ignored although somebody relies on them. */
export function requireHonoured(environment: Environment): void {
  for (const [name, hint] of Object.entries(WALLS)) {
    if (isSet(environment[name]))
      throw new ExitError("configuration", `${name} is a setting of GitHub's own server, not of this one`, {
        hint,
      });
  }
  const { GITHUB_TOOLS: tools = "", GITHUB_TOOLSETS: toolsets = "" } = environment;
  if (tools === "" || toolsets === "") return;
  const both = [...expandToolsets(toolsets.split(",").map((name) => name.trim())), tools].join(",");
  throw new ExitError("configuration", "GITHUB_TOOLS and GITHUB_TOOLSETS are both set", {
    hint: `GitHub's own server adds them up; here, GITHUB_TOOLS alone decides, and takes toolsets, too: GITHUB_TOOLS=${both}.`,
  });
}

/** What the operator should know of settings that have no effect here. */
export function noteIdle(environment: Environment, toolsets: readonly string[]): string | undefined {
  const idle = Object.keys(environment).filter(
    (name) => (IDLE.has(name) || IDLE_TEXT.test(name)) && isSet(environment[name]),
  );
  const lacking = toolsets.filter((name) => OTHER_TOOLSETS.includes(name));
  const notes = [
    idle.length > 0 && `Settings of GitHub's own server without effect here: ${idle.toSorted().join(", ")}.`,
    lacking.length > 0 && `Toolsets of GitHub's own server that this one lacks: ${lacking.join(", ")}.`,
  ].filter((note) => note !== false);
  return notes.length === 0 ? undefined : notes.join(" ");
}

/** The toolsets of ours among these names. */
export const expandToolsets = (names: readonly string[]): readonly string[] =>
  names.flatMap((name) => {
    if (name === "all") return TOOLSETS;
    const own = TOOLSET_ALIASES[name] ?? name;
    return name === "default" ? DEFAULT_TOOLSETS : TOOLSETS.filter((each) => each === own);
  });
