import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { withFullSearchPath } from "@suite/server-kit/domain";

import type { Repository } from "../repository/repository.ts";

/** What a run of git may do beyond reading the repository. */
export interface RunNeeds {
  /** Whether it changes something: git may then take locks. */
  readonly writes?: boolean;
  /** Protocols it may use, as in "https:ssh". Default: none. */
  readonly network?: string;
  /** Whether it may sign, by the operator's policy. */
  readonly signs?: boolean;
  /** Used instead of the repository's own index. */
  readonly indexFile?: string;
}

/** The operator's decisions and the server's environment. */
export interface GitSetup {
  /** The environment of the server's process. Only selected variables are passed on to git. */
  readonly env: { readonly [name: string]: string | undefined };
  readonly trusted: boolean;
  readonly signs: boolean;
  /** Of the server, for the names of its temporary files. */
  readonly pid: number;
}

/** The operator's own settings, as far as they are passed on: see operator-settings.ts. */
export interface OperatorSettings {
  readonly local: readonly string[];
  readonly signing: readonly string[];
  readonly network: readonly string[];
  /** Overrides for all other settings: git before 2.32 reads them whenever HOME is set. */
  readonly overrides: readonly string[];
}

/** As git knows it on every platform: on Windows it does not open what `os.devNull` says. */
const NO_FILE = "/dev/null";
/** Below a file nothing can be. A folder with a fixed name could be made by other users, on Windows even in the root of C:. */
export const NOWHERE: string = join(fileURLToPath(import.meta.url), "nowhere");

/** Passed last, so that nothing in a repository or the environment overrides them. */
const ALWAYS: readonly string[] = [
  "advice.detachedHead=false",
  "color.ui=false",
  "core.askPass=",
  "core.editor=:",
  "core.pager=cat",
  "core.quotePath=false",
  "core.warnAmbiguousRefs=true",
  "diff.noprefix=false",
  "diff.mnemonicPrefix=false",
  // Otherwise each change that is kept for git_undo could become a pack.
  "fastimport.unpackLimit=100",
  "fetch.recurseSubmodules=false",
  "gc.auto=0",
  "grep.patternType=perl",
  "help.autoCorrect=never",
  "i18n.commitEncoding=UTF-8",
  "i18n.logOutputEncoding=UTF-8",
  "log.follow=false",
  "log.showSignature=false",
  "maintenance.auto=false",
  "protocol.ext.allow=never",
  "push.recurseSubmodules=no",
  "sequence.editor=:",
  "submodule.recurse=false",
];

/** For untrusted repositories: disables hooks and helper programs, keeps git out of submodules, and limits processes. */
const UNTRUSTED: readonly string[] = [
  // This and `threads` below are git's own defaults.
  "checkout.workers=1",
  "core.alternateRefsCommand=",
  `core.attributesFile=${NO_FILE}`,
  "core.fsmonitor=false",
  `core.hooksPath=${NO_FILE}`,
  "core.sshCommand=ssh -oBatchMode=yes",
  "credential.helper=",
  "diff.ignoreSubmodules=all",
  "grep.threads=0",
  "pack.threads=0",
  // Rerere writes to any file that its own list names.
  "rerere.enabled=false",
  "status.submoduleSummary=false",
];

const NO_SIGNING: readonly string[] = ["commit.gpgSign=false", "tag.gpgSign=false", "push.gpgSign=false"];

/** `-c` values for a run, in the order in which git reads them: the last one wins. */
export function toSettings(
  repository: Pick<Repository, "overrides"> | undefined,
  setup: GitSetup,
  operator: OperatorSettings,
  needs: RunNeeds = {},
): readonly string[] {
  return [
    ...(repository?.overrides() ?? []),
    ...(needs.signs || needs.network !== undefined ? operator.overrides : []),
    ...(setup.trusted ? [] : UNTRUSTED),
    ...operator.local,
    ...(needs.network === undefined ? [] : operator.network),
    ...(needs.signs && setup.signs ? operator.signing : NO_SIGNING),
    ...ALWAYS,
  ];
}

export const toArguments = (settings: readonly string[]): readonly string[] => [
  "--no-pager",
  ...settings.flatMap((setting) => ["-c", setting]),
];

/** Far more than large repositories need. */
const MOST_MEMORY = 2 ** 31;

/**
 * A small tree object can expand to billions of files, so git's memory is limited. Packing for a remote takes more memory,
 * and so may programs of a trusted repository.
 */
export const memoryFor = ({ trusted }: GitSetup, { network }: RunNeeds): { maxMemoryBytes?: number } =>
  trusted || network !== undefined ? {} : { maxMemoryBytes: MOST_MEMORY };

const SYSTEM = ["TMPDIR", "TEMP", "TMP", "SystemRoot", "SystemDrive", "PATHEXT", "ComSpec", "windir"];
/** Where programs that sign or use the network look for keys and settings. */
const PERSONAL = [
  "HOME",
  "HOMEDRIVE",
  "HOMEPATH",
  "USERPROFILE",
  "APPDATA",
  "LOCALAPPDATA",
  "ProgramData",
  "ProgramFiles",
  "USERNAME",
  "USER",
  "LOGNAME",
  "XDG_CONFIG_HOME",
  "XDG_RUNTIME_DIR",
  "GNUPGHOME",
  "GPG_AGENT_INFO",
  "SSH_AUTH_SOCK",
  // Where the operator's configuration is. In untrusted runs these are replaced below.
  "GIT_CONFIG_GLOBAL",
  "GIT_CONFIG_SYSTEM",
  "GIT_CONFIG_NOSYSTEM",
];
const PROXIES = ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY"];
const CERTIFICATES = ["SSL_CERT_FILE", "SSL_CERT_DIR", "GIT_SSL_CAINFO", "GIT_SSL_CAPATH"];
const NETWORK = [...PROXIES, ...PROXIES.map((name) => name.toLowerCase()), ...CERTIFICATES];

/** The environment of a run: built, never inherited. */
export function toEnvironment(
  repository: Pick<Repository, "gitDir" | "root" | "isBare"> | undefined,
  { env, trusted, signs }: GitSetup,
  needs: RunNeeds = {},
): { readonly [name: string]: string } {
  const isPersonal = trusted || (signs && needs.signs) || needs.network !== undefined;
  const names = [...SYSTEM, ...(isPersonal ? PERSONAL : []), ...(needs.network === undefined ? [] : NETWORK)];
  const passed = names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const]));
  const path = withFullSearchPath(env)["PATH"];
  return {
    ...(isPersonal ? {} : { HOME: NOWHERE, XDG_CONFIG_HOME: NOWHERE }),
    ...Object.fromEntries(passed),
    ...(path !== undefined && { PATH: path }),
    LC_ALL: "C",
    GIT_TERMINAL_PROMPT: "0",
    // If this is set, even to nothing, git ignores core.gitProxy, which cannot be overridden.
    GIT_PROXY_COMMAND: "",
    GIT_EDITOR: ":",
    GIT_SEQUENCE_EDITOR: ":",
    GIT_PAGER: "cat",
    GIT_MERGE_AUTOEDIT: "no",
    GIT_ALLOW_PROTOCOL: needs.network ?? "none",
    GIT_PROTOCOL_FROM_USER: "0",
    GIT_NO_LAZY_FETCH: "1",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_ATTR_NOSYSTEM: "1",
    ...(trusted ? {} : { GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: NO_FILE }),
    ...(repository && {
      GIT_DIR: repository.gitDir,
      // Otherwise git would use the current directory as the work tree if the configuration does not say "bare".
      ...(repository.isBare ? { GIT_IMPLICIT_WORK_TREE: "0" } : { GIT_WORK_TREE: repository.root }),
    }),
    ...(needs.indexFile !== undefined && { GIT_INDEX_FILE: needs.indexFile }),
  };
}
