import { Fault } from "@suite/server-kit/domain";

import { type Setting, toName } from "./config-file.ts";

const EVERY_KEY = "*";

/**
 * Settings of a repository that git may see: none of them names a program, a file outside, or a network address that
 * is used unchecked. All others are overridden with an empty value, so settings that future versions of git execute are
 * covered, too.
 */
const SAFE: { readonly [section: string]: string } = {
  advice: EVERY_KEY,
  apply: "ignorewhitespace whitespace",
  author: "email name",
  blame: "blankboundary coloring date showemail showroot",
  // Not mergeOptions: git adds them to our own options.
  branch: "autosetupmerge autosetuprebase description merge pushremote rebase remote sort",
  checkout: "defaultremote guess workers thresholdforparallelism",
  clean: "requireforce",
  color: EVERY_KEY,
  column: EVERY_KEY,
  commit: "cleanup status verbose",
  commitgraph: EVERY_KEY,
  committer: "email name",
  core:
    "abbrev autocrlf bare checkstat commentchar commentstring commitgraph compression createobject " +
    "deltabasecachelimit eol filemode filesreflocktimeout fsync fsyncmethod fsyncobjectfiles hidedotfiles ignorecase " +
    "logallrefupdates longpaths loosecompression maxtreedepth multipackindex notesref packedgitlimit " +
    "packedgitwindowsize packedrefstimeout precomposeunicode preloadindex quotepath " +
    "repositoryformatversion safecrlf sharedrepository sparsecheckout sparsecheckoutcone splitindex symlinks " +
    "trustctime untrackedcache warnambiguousrefs whitespace worktree",
  credential: "usehttppath",
  diff:
    "algorithm autorefreshindex binary cachetextconv colormoved colormovedws context dirstat funcname guitool " +
    "ignoresubmodules indentheuristic interhunkcontext mnemonicprefix noprefix relative renamelimit renames " +
    "statgraphwidth statnamewidth suppressblankempty tool wordregex wserrorhighlight xfuncname",
  extensions:
    "compatobjectformat noop objectformat partialclone preciousobjects refstorage relativeworktrees worktreeconfig",
  feature: EVERY_KEY,
  fetch:
    "fsckobjects negotiationalgorithm parallel prune prunetags recursesubmodules showforcedupdates unpacklimit writecommitgraph",
  format: "pretty",
  gc:
    "aggressivedepth aggressivewindow auto autodetach autopacklimit bigpackthreshold cruftpacks logexpiry packrefs " +
    "pruneexpire reflogexpire reflogexpireunreachable rerereresolved rerereunresolved worktreepruneexpire",
  grep: "column extendedregexp fullname linenumber patterntype threads",
  gui: EVERY_KEY,
  http: "lowspeedlimit lowspeedtime maxrequests minsessions postbuffer version",
  i18n: EVERY_KEY,
  index: EVERY_KEY,
  init: "defaultbranch",
  log: EVERY_KEY,
  maintenance: EVERY_KEY,
  merge:
    "autostash branchdesc conflictstyle default defaulttoupstream directoryrenames ff log name recursive renamelimit " +
    "renames renormalize stat suppressdest tool verbosity",
  notes: EVERY_KEY,
  pack: EVERY_KEY,
  protocol: "version",
  pull: "ff rebase twohead",
  push: "autosetupremote default followtags gpgsign useforceifincludes",
  rebase: "abbreviatecommands autosquash autostash forkpoint missingcommitscheck stat updaterefs",
  receive: "denycurrentbranch denydeletes denynonfastforwards",
  remote:
    "fetch followremotehead mirror partialclonefilter promisor prune prunetags push pushdefault pushurl " +
    "skipdefaultupdate skipfetchall tagopt url",
  reftable: EVERY_KEY,
  repack: EVERY_KEY,
  splitindex: EVERY_KEY,
  stash: "showincludeuntracked showpatch showstat",
  status: EVERY_KEY,
  submodule: "active alternateerrorstrategy alternatelocation branch fetchjobs propagatebranches recurse url",
  tag: "forcesignannotated gpgsign sort",
  transfer: "credentialsinurl fsckobjects hiderefs unpacklimit",
  // An empty value would match every address. The actual address of a remote is checked before use.
  url: "insteadof pushinsteadof",
  user: "email name useconfigonly",
  versionsort: EVERY_KEY,
};

const SETS = new Map(Object.entries(SAFE).map(([section, keys]) => [section, new Set(keys.split(" "))]));

/** Values for settings that cannot be overridden with an empty one, which would have a meaning of its own. */
const NEUTRAL: { readonly [name: string]: string } = {
  // Larger files are neither held in memory nor shown as text.
  "core.bigfilethreshold": "512m",
  "core.protecthfs": "true",
  "core.protectntfs": "true",
  "credential.protectprotocol": "true",
  "credential.sanitizeprompt": "true",
  "diff.dstprefix": "b/",
  "diff.orderfile": "/dev/null",
  "diff.srcprefix": "a/",
  "diff.submodule": "short",
  "fastimport.unpacklimit": "100",
  "fetch.output": "full",
  "gpg.format": "openpgp",
  "gpg.mintrustlevel": "undefined",
  "http.schannelcheckrevoke": "true",
  "http.sslverify": "true",
  // Git's default merge. An empty driver would succeed, and keep our side of every conflict.
  "merge.driver": "git merge-file --marker-size=%L %A %O %B",
  "pull.octopus": "octopus",
  "rebase.backend": "merge",
  "submodule.ignore": "all",
};

/** Others differ from what a dry run predicts, or are programs. Cannot be overridden: a rebase uses the first value. */
const STRATEGIES: ReadonlySet<string> = new Set(["ort", "recursive"]);

/**
 * Settings that `-c` cannot override: git still reads the files that they name, takes values in a group of remotes for
 * options, and reads extensions only from the repository.
 */
const STAYING = /^(?:extensions|include|includeif|remotes)\.|^(?:fetch|fsck|receive)\.skiplist$/;

export const isStaying = ({ section, key }: Setting): boolean => STAYING.test(`${section}.${key}`);

const MOST_OVERRIDES = 500;

/** Settings for git that prevent the repository's configuration from making it run a program. */
export function toOverrides(settings: readonly Setting[]): readonly string[] {
  const names = new Map<string, string>();
  for (const setting of settings) {
    const { section, key, subsection = "", value } = setting;
    if (section === "pull" && key === "twohead" && !STRATEGIES.has(value))
      throw refuseSetting("chooses how to merge with pull.twohead");
    if (isSafe(setting)) continue;
    if (isStaying(setting))
      throw refuseSetting(`sets ${JSON.stringify(toName(setting))}, which cannot be overridden`);
    // `-c` ends a name at the first "=".
    if (/[=\n]/.test(subsection)) throw refuseSetting(`has a [${section}] section with "=" in its name`);
    names.set(toName(setting), NEUTRAL[`${section}.${key}`] ?? "");
  }
  if (names.size > MOST_OVERRIDES)
    throw refuseSetting(`has ${names.size} settings that are not known to be safe`);
  return Array.from(names, ([name, value]) => `${name}=${value}`);
}

function isSafe({ section, subsection, key, value }: Setting): boolean {
  const keys = SETS.get(section);
  if (keys === undefined) return false;
  // Newer versions of git accept an address as well.
  if (key === "refstorage") return value === "files" || value === "reftable";
  // Severity of each object error: git accepts no empty value.
  if (section === "fetch" && subsection === "fsck") return key !== "skiplist";
  // Editors store settings for each branch, with a dash in the name; git's own have none. There may be hundreds.
  return keys.has(EVERY_KEY) || keys.has(key) || (section === "branch" && key.includes("-"));
}

export const refuseSetting = (why: string): Fault =>
  new Fault("permission_denied", `The repository's configuration ${why}`, {
    hint: "Remove it, or ask the operator to start the server with --trust-repository.",
  });
