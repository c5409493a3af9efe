import { isUtf8 } from "node:buffer";
import { devNull, platform } from "node:os";

import type { Repository } from "../repository/repository.ts";

/** What a run of git may do beyond reading the repository. */
export interface RunNeeds {
  /** Whether it changes something: it may then take locks. */
  readonly writes?: boolean;
  /** Protocols it may use, as in "https:ssh". None unless said. */
  readonly network?: string;
  /** Whether it may sign, by the operator's policy. */
  readonly signs?: boolean;
  /** Instead of the repository's own index. */
  readonly indexFile?: string;
}

/** What the operator has decided, and what the server's own environment brings. */
export interface GitSetup {
  /** Of the server's process: only what is named here is ever passed on. */
  readonly env: { readonly [name: string]: string | undefined };
  readonly trusted: boolean;
  readonly signs: boolean;
}

/** The operator's own settings, as far as they are passed on: see operator-settings.ts. */
export interface OperatorSettings {
  readonly local: readonly string[];
  readonly signing: readonly string[];
  readonly network: readonly string[];
  /** What takes back the others: git before 2.32 reads them all wherever it is told a home. */
  readonly overrides: readonly string[];
}

/** Last, so that nothing in a repository or its surroundings is stronger. */
const ALWAYS: readonly string[] = [
  "advice.detachedHead=false",
  "color.ui=false",
  "core.askPass=",
  "core.editor=:",
  "core.pager=cat",
  "core.quotePath=false",
  "diff.noprefix=false",
  "diff.mnemonicPrefix=false",
  "fetch.recurseSubmodules=false",
  "gc.auto=0",
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

/** What a repository's hooks and filters would need, what would open its submodules, and what would start very many processes. */
const UNTRUSTED: readonly string[] = [
  // As many processes and threads as git would start by itself.
  "checkout.workers=1",
  "core.alternateRefsCommand=",
  "core.fsmonitor=false",
  `core.hooksPath=${devNull}`,
  "core.sshCommand=ssh -oBatchMode=yes",
  "credential.helper=",
  "diff.ignoreSubmodules=all",
  "grep.threads=0",
  "pack.threads=0",
  // It writes to whatever files its own list names.
  "rerere.enabled=false",
  "status.submoduleSummary=false",
];

const NO_SIGNING: readonly string[] = ["commit.gpgSign=false", "tag.gpgSign=false", "push.gpgSign=false"];

/** `-c` values for a run, in the order in which git reads them: the last one wins. For simple-git as for ourselves. */
export function toSettings(
  repository: Pick<Repository, "overrides"> | undefined,
  setup: GitSetup,
  operator: OperatorSettings,
  needs: RunNeeds = {},
): readonly string[] {
  return [
    ...(repository?.overrides ?? []),
    ...(needs.signs || needs.network !== undefined ? operator.overrides : []),
    ...(setup.trusted ? [] : UNTRUSTED),
    ...operator.local,
    ...(needs.network === undefined ? [] : operator.network),
    ...(needs.signs && setup.signs ? operator.signing : NO_SIGNING),
    ...ALWAYS,
  ];
}

export const toArguments = (settings: readonly string[], args: readonly string[]): string[] => [
  "--no-pager",
  ...settings.flatMap((setting) => ["-c", setting]),
  ...args,
];

/** In KiB. Only what git allocates counts, not the packs that it maps: large repositories stay far below. */
const MOST_MEMORY = 2 * 1024 * 1024;

/**
 * A small tree can stand for billions of files, so git may not have all the memory there is: only Linux can say so. Packing for
 * a remote takes more, and so may what a trusted repository runs.
 */
export const isLimited = ({ trusted }: GitSetup, { network }: RunNeeds): boolean =>
  platform() === "linux" && !trusted && network === undefined;

/**
 * What Node cannot do is left to a shell that has nothing else to do: to set a limit, and to pass on bytes that are no text,
 * which are spelled out for it.
 */
export function toProgram(
  args: readonly string[],
  limited: boolean,
  last?: Buffer,
): readonly [program: string, ...string[]] {
  const isText = last === undefined || isUtf8(last);
  const texts = last !== undefined && isText ? [...args, last.toString()] : args;
  if (isText && !limited) return ["git", ...texts];
  // A lower one that is there already stays.
  const limit = limited ? `ulimit -d ${MOST_MEMORY} 2>/dev/null; ` : "";
  const octal = isText ? "" : Array.from(last, (byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("");
  return ["sh", "-c", `${limit}exec git "$@"${octal && ` "$(printf '${octal}')"`}`, "sh", ...texts];
}

const SYSTEM = ["PATH", "TMPDIR", "TEMP", "TMP", "SystemRoot", "PATHEXT", "ComSpec", "WINDIR"];
/** Programs that sign, and those that reach the network, look for their keys and settings here. */
const PERSONAL = [
  "HOME",
  "USERPROFILE",
  "APPDATA",
  "LOCALAPPDATA",
  "USER",
  "LOGNAME",
  "XDG_CONFIG_HOME",
  "XDG_RUNTIME_DIR",
  "GNUPGHOME",
  "GPG_AGENT_INFO",
  "SSH_AUTH_SOCK",
];
const NETWORK = [
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "NO_PROXY",
  "ALL_PROXY",
  "http_proxy",
  "https_proxy",
  "no_proxy",
  "all_proxy",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "GIT_SSL_CAINFO",
  "GIT_SSL_CAPATH",
];

/** The environment of a run: built, never inherited. */
export function toEnvironment(
  repository: Pick<Repository, "gitDir" | "root" | "isBare"> | undefined,
  { env, trusted, signs }: GitSetup,
  needs: RunNeeds = {},
): { readonly [name: string]: string } {
  const isPersonal = trusted || (signs && needs.signs) || needs.network !== undefined;
  const names = [...SYSTEM, ...(isPersonal ? PERSONAL : []), ...(needs.network === undefined ? [] : NETWORK)];
  const passed = names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const]));
  return {
    ...(isPersonal ? {} : { HOME: "/nonexistent", XDG_CONFIG_HOME: "/nonexistent" }),
    ...Object.fromEntries(passed),
    LC_ALL: "C",
    GIT_TERMINAL_PROMPT: "0",
    // Set and empty: git then asks no configuration for a program to reach git:// with, which no override undoes.
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
    ...(trusted ? {} : { GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: devNull }),
    ...(repository && {
      GIT_DIR: repository.gitDir,
      // Without either, git would take its own directory for the work tree where the configuration does not say "bare".
      ...(repository.isBare ? { GIT_IMPLICIT_WORK_TREE: "0" } : { GIT_WORK_TREE: repository.root }),
    }),
    ...(needs.indexFile !== undefined && { GIT_INDEX_FILE: needs.indexFile }),
  };
}
