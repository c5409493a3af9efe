import type { RepositoryCall } from "../git/repository-call.ts";
import { parseRevision, refuseRevision } from "../names.ts";

/** Who commits what is kept for git_undo. Its list of refs would not do: entries that left it can still be found by their ids. */
export const JOURNAL_EMAIL = "suite@localhost";

/** The part of a revision that git takes for an id, whole or short, unless there is a ref of that name. */
const ID = /^\^*((?:[^~:^]*-g)?[0-9a-f]{4,64})(?=$|[~:@^])/i;

/** A revision for any command. By an id, every object could be named: it must be that of a commit, and of nobody's backup. */
export async function toRevision(call: RepositoryCall, given: string): Promise<string> {
  const revision = parseRevision(given);
  const [, id] = ID.exec(revision) ?? [];
  if (id === undefined) return revision;
  const email = await call.text(["log", "--no-walk", "--format=%ce", `${id}^{commit}`, "--"]);
  if (email.trim() === JOURNAL_EMAIL) throw refuseRevision(given, "it is kept for git_undo");
  return revision;
}

/** A revision, or two with ".." or "..." between them; each side may be left out. */
export async function toRange(call: RepositoryCall, given: string): Promise<string> {
  const [, from, dots, to] = /^(.*?)(\.{2,3})(.*)$/s.exec(given) ?? [];
  if (dots === undefined) return toRevision(call, given);
  return `${await toRevision(call, from || "HEAD")}${dots}${await toRevision(call, to || "HEAD")}`;
}
