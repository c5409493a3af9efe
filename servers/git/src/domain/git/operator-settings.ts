import { join } from "node:path";

import { type Setting, toName } from "../repository/config-file.ts";
import { isStaying, toOverrides } from "../repository/safe-settings.ts";
import { NOWHERE, type OperatorSettings } from "./command.ts";

/** Who commits, and what decides about content: passed on unless the repository sets them itself. */
const LOCAL = new Set([
  "author.email",
  "author.name",
  "committer.email",
  "committer.name",
  "core.autocrlf",
  "core.checkstat",
  "core.eol",
  "core.filemode",
  "core.ignorecase",
  "core.longpaths",
  "core.precomposeunicode",
  "core.safecrlf",
  "core.symlinks",
  "core.trustctime",
  "init.defaultbranch",
  "merge.conflictstyle",
  "user.email",
  "user.name",
]);
const SIGNING = /^(?:commit\.gpgsign|tag\.gpgsign|user\.signingkey|gpg\..+)$/i;
const NETWORK = /^(?:credential\..+|http\..+|url\..+|core\.sshcommand|ssh\.variant)$/i;

export const NO_SETTINGS: OperatorSettings = { local: [], signing: [], network: [], overrides: [] };

/**
 * The configuration of the operator and the system, from `git config --list -z`: Git for Windows has its line endings in the
 * latter. Git itself reads neither when it runs in a repository, which could otherwise choose to run programs that they name.
 */
export function parseOperatorSettings(
  output: string,
  env: { readonly [name: string]: string | undefined },
): OperatorSettings {
  const entries = output
    .split("\0")
    .filter((entry) => entry !== "")
    .map((entry) => {
      const end = entry.indexOf("\n");
      return end < 0 ? ([entry, "true"] as const) : ([entry.slice(0, end), entry.slice(end + 1)] as const);
    })
    // `-c` ends a name at the first "=".
    .filter(([name]) => !name.includes("="));
  const pick = (isWanted: (name: string) => boolean): string[] =>
    entries.filter(([name]) => isWanted(name)).map(([name, value]) => `${name}=${value}`);
  const others = entries.filter(([name]) => !LOCAL.has(name) && !SIGNING.test(name) && !NETWORK.test(name));
  // Included files are listed already, no command with these settings merges, and the rest is the operator's own choice.
  const isPassedOver = (setting: Setting): boolean =>
    isStaying(setting) || toName(setting) === "pull.twohead";

  const ignores = entries.findLast(([name]) => name === "core.excludesfile")?.[1];
  return {
    local: [
      ...pick((name) => LOCAL.has(name)),
      // Also if the repository sets another file.
      `core.excludesFile=${toIgnoreFile(ignores, env)}`,
    ],
    signing: pick((name) => SIGNING.test(name)),
    network: pick((name) => NETWORK.test(name)),
    overrides: toOverrides(
      others.map(([name, value]) => toSetting(name, value)).filter((setting) => !isPassedOver(setting)),
    ),
  };
}

function toSetting(name: string, value: string): Setting {
  const [first, last] = [name.indexOf("."), name.lastIndexOf(".")];
  return {
    section: name.slice(0, first),
    subsection: first === last ? undefined : name.slice(first + 1, last),
    key: name.slice(last + 1),
    value,
  };
}

/** Git would look below HOME, which it does not get. On Windows the home has another name. */
function toIgnoreFile(given: string | undefined, env: NodeJS.ProcessEnv): string {
  const home = env["HOME"] ?? env["USERPROFILE"] ?? NOWHERE;
  if (given !== undefined) return given.replace(/^~(?=\/)/, () => home);
  return join(env["XDG_CONFIG_HOME"] ?? join(home, ".config"), "git", "ignore");
}

/** Drops local settings that the repository sets itself. */
export function withoutOwn(
  { local, ...rest }: OperatorSettings,
  settings: readonly Setting[],
): OperatorSettings {
  const own = new Set(
    settings.flatMap(({ section, key, subsection }) =>
      subsection === undefined ? [`${section}.${key}`] : [],
    ),
  );
  return { ...rest, local: local.filter((setting) => !own.has(setting.slice(0, setting.indexOf("=")))) };
}
