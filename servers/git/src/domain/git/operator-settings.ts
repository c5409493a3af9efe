import { join } from "node:path";

import { type Setting, toName } from "../repository/config-file.ts";
import { isStaying, toOverrides } from "../repository/safe-settings.ts";
import type { OperatorSettings } from "./command.ts";

/** Identity and text settings: passed on unless the repository sets them itself. */
const LOCAL = new Set([
  "author.email",
  "author.name",
  "committer.email",
  "committer.name",
  "core.autocrlf",
  "core.eol",
  "init.defaultbranch",
  "merge.conflictstyle",
  "user.email",
  "user.name",
]);
const SIGNING = /^(?:commit\.gpgsign|tag\.gpgsign|user\.signingkey|gpg\..+)$/i;
const NETWORK = /^(?:credential\..+|http\..+|url\..+|core\.sshcommand|ssh\.variant)$/i;

export const NO_SETTINGS: OperatorSettings = { local: [], signing: [], network: [], overrides: [] };

/**
 * The operator's own configuration, from `git config --global --list -z`. Git itself does not read it when it runs in a
 * repository, which could otherwise choose to run programs that it names.
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

/** Git would look below HOME, which it does not get. */
function toIgnoreFile(
  given: string | undefined,
  { HOME: home = "/nonexistent", XDG_CONFIG_HOME: xdg = join(home, ".config") }: NodeJS.ProcessEnv,
): string {
  return given === undefined ? join(xdg, "git", "ignore") : given.replace(/^~(?=\/)/, home);
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
