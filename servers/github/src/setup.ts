import type { SelectableTool } from "@suite/server-kit";
import { ExitError, type ProgramOptions } from "@suite/server-kit/program";

import type { AppCredentials, CredentialSettings } from "./domain/gateway/credentials.ts";
import type { options } from "./options.ts";
import { expandToolsets } from "./official.ts";

export type GithubOptions = ProgramOptions<typeof options>;

export function toCredentials(given: GithubOptions): CredentialSettings {
  const { token, personalAccessToken, ownerTokens } = given;
  const app = toApp(given);
  return {
    token: toToken("GITHUB_TOKEN", token) ?? toToken("GITHUB_PERSONAL_ACCESS_TOKEN", personalAccessToken),
    ownerTokens: parseOwnerTokens(ownerTokens ?? ""),
    ...(app && { app }),
  };
}

/** A line break at the end is easily copied along; within, it is a mistake that GitHub would not explain. */
function toToken(name: string, given: string | undefined): string | undefined {
  const token = given?.trim();
  if (token === undefined || /^[!-~]+$/.test(token)) return token;
  throw new ExitError(
    "configuration",
    `${name} is not a token: it is empty, or has spaces or line breaks in it`,
  );
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

/** A tool or group named with --tools is available, whatever --toolsets says. */
export function whyUnavailable(
  { name, group = "" }: SelectableTool,
  given: GithubOptions,
): string | undefined {
  const isWanted =
    expandToolsets(given.toolsets).includes(group) ||
    given.tools.includes(name) ||
    given.tools.includes(group);
  return isWanted ? undefined : `start this server with --toolsets default,${group}`;
}
