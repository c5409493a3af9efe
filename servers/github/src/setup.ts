import type { SelectableTool } from "@suite/server-kit";
import { ExitError, type ProgramOptions } from "@suite/server-kit/program";

import type { AppCredentials, CredentialSettings } from "./domain/gateway/credentials.ts";
import type { options } from "./options.ts";
import { DEFAULT_TOOLSETS, TOOLSETS } from "./toolsets.ts";

export type GithubOptions = ProgramOptions<typeof options>;

export function toCredentials(given: GithubOptions): CredentialSettings {
  const { token, personalAccessToken, ownerTokens } = given;
  const app = toApp(given);
  return {
    token: token ?? personalAccessToken,
    ownerTokens: parseOwnerTokens(ownerTokens ?? ""),
    ...(app && { app }),
  };
}

function toApp({ appId, appInstallationId, appPrivateKey }: GithubOptions): AppCredentials | undefined {
  if (appId === undefined || appInstallationId === undefined) return undefined;
  if (appPrivateKey !== undefined)
    return { appId, installationId: appInstallationId, privateKey: appPrivateKey };
  throw new ExitError("configuration", "the GitHub App has no private key", {
    hint: "Set GITHUB_APP_PRIVATE_KEY, or GITHUB_APP_PRIVATE_KEY_FILE to a file with it.",
  });
}

function parseOwnerTokens(text: string): ReadonlyMap<string, string> {
  const entries = text.split(/[\s,]+/).filter((entry) => entry !== "");
  return new Map(
    entries.map((entry) => {
      const at = entry.indexOf("=");
      if (at > 0 && at < entry.length - 1) return [entry.slice(0, at).toLowerCase(), entry.slice(at + 1)];
      throw new ExitError("configuration", "GITHUB_OWNER_TOKENS: expected owner=token, with commas between");
    }),
  );
}

function toToolsets({ toolsets }: Pick<GithubOptions, "toolsets">): ReadonlySet<string> {
  return new Set(
    toolsets.flatMap((name) => {
      if (name === "all") return TOOLSETS;
      return name === "default" ? DEFAULT_TOOLSETS : [name];
    }),
  );
}

/** A tool or group named with --tools is available, whatever --toolsets says. */
export function whyUnavailable(
  { name, group = "" }: SelectableTool,
  given: GithubOptions,
): string | undefined {
  const isWanted = toToolsets(given).has(group) || given.tools.includes(name) || given.tools.includes(group);
  return isWanted ? undefined : `start this server with --toolsets default,${group}`;
}
