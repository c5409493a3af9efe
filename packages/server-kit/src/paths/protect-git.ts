/** Letters that the Mac's file system does not see in a name. */
const UNSEEN = /[\u200C-\u200F\u202A-\u202E\u206A-\u206F\uFEFF]/g;
/** Also as Windows reads it: any case, dots, spaces or a stream at the end, the short form of the name. */
const GIT = /^(?:\.git|git~\d+)[. ]*(?::.*)?$/i;

/**
 * A policy for PathGuard's `protect`: nothing at or below `.git`, be it the directory or the file that stands for
 * one, in any spelling that some platform takes for it: a checkout may be shared with that platform.
 */
export function protectGit(path: string): string | undefined {
  const isGit = path.split(/[\\/]/).some((name) => GIT.test(name.replaceAll(UNSEEN, "")));
  return isGit
    ? "it belongs to a git repository's own files, where a hook or a setting would let git run any program. " +
        "The operator can allow it with --allow-git-writes"
    : undefined;
}
